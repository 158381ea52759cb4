#include "validate/backing.hpp"

#include <set>

#include "catch.hpp"
#include "sim/figure_list.hpp"

using namespace tidewatt::validate;

namespace {

LedgerLine line(const char* row, const char* kind, double error) {
  LedgerLine l;
  l.row = row, l.kind = kind, l.source = "paper", l.error = error;
  return l;
}

const Backing& of(const std::vector<Backing>& all, const std::string& headline) {
  for (const auto& b : all)
    if (b.headline == headline) return b;
  throw std::logic_error(headline);
}

}  // namespace

TEST_CASE("a headline names blind rows of its quantity on the run's devices, and inputs that could move it") {
  const std::vector<LedgerLine> lines = {line("R4/h100-256", "blind", -0.01),
                                         line("R4/b200-64", "blind", 0.06),
                                         line("W10", "seen", 0.0),
                                         line("T1/mean", "blind", 1.0),
                                         line("E2/rest-h100-41", "blind", 0.05),
                                         line("E7/clock-slope", "blind", -0.09),
                                         line("E7/copy", "blind", 0.03)};
  const auto all = backing(lines, "gpu = \"h100_sxm_700W\"",
                           {"hall.a.gpu.compute.small_tile_ratio", "hall.a.plant.fan_lag_s",
                            "hall.a.gpu.power.leakage_W", "job.main.plan.recompute"});
  const auto& tokens = of(all, "tokens_per_s_mean");
  REQUIRE(tokens.rows.size() == 1);
  CHECK(tokens.rows[0].row == "R4/h100-256");
  CHECK(tokens.n_other_device == 1);
  CHECK(tokens.assumed.size() == 3);
  CHECK(tokens.assumed.back() == "job.main.plan.recompute");
  CHECK(of(all, "pcc_mean_MW").rows.size() == 1);
  // The clock's slope, of another area: blind at first, and what the entry is fitted to today.
  CHECK(of(all, "throughput_swing_percent").rows.empty());
  REQUIRE(of(all, "throughput_swing_percent").fitted.size() == 1);
  CHECK(of(all, "throughput_swing_percent").fitted[0].row == "E7/clock-slope");
  CHECK(backing_text(all).find("swing of hourly throughput (an entry is fitted since to E7/clock-slope -9 %)") !=
        std::string::npos);
  CHECK(of(all, "die_max_degC").rows.empty());  // T1/mean is a fit today, whatever its line says
  CHECK(of(all, "pue").assumed == std::vector<std::string>{"hall.a.plant.fan_lag_s"});
}

TEST_CASE("no row is an answer") {
  const auto all = backing({}, "", {});
  CHECK(all.size() == 8);
  for (const auto& b : all) CHECK((b.rows.empty() && b.n_other_device == 0 && b.assumed.empty()));
}

TEST_CASE("the text names rows with their errors, the largest first, and what no row backs") {
  std::vector<LedgerLine> lines = {line("R4/h100-256", "blind", -0.01), line("R4/h100-1536", "blind", 0.06),
                                   line("R5/405b-h100", "blind", 0.2), line("R5/8b-h100", "blind", -0.1)};
  const std::string scenario = "gpu = \"h100_sxm_700W\"", four = backing_text(backing(lines, scenario, {}));
  CHECK(four.find("throughput while training  4 rows, median error 8 %, largest: R5/405b-h100 +20 %, R5/8b-h100 -10 %, "
                  "R4/h100-1536 +6 %\n") != std::string::npos);
  CHECK(four.find("no row backs this: swing of hourly throughput, mean power") != std::string::npos);
  lines.resize(1);
  CHECK(backing_text(backing(lines, scenario, {})).find("throughput while training  1 row: R4/h100-256 -1 %\n") !=
        std::string::npos);
}

TEST_CASE("the list of figures says which headlines blind rows back; iterations are the inverse of throughput") {
  std::set<std::string> listed, backed = {"iteration_s"};
  for (const auto* f : tidewatt::sim::headline_figures())
    if (f->traits.of_model) listed.insert(f->key);
  for (const auto& h : backed_headlines()) backed.insert(h.key);
  CHECK(listed == backed);
}
