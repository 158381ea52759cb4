#include "study/sizing.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

/// One store, no smoothing, few sizes: what a search must get right is visible.
SizingChoices choices() {
  auto c = read_choices(catalog::Catalog(), "remedies");
  c.stores.erase(c.stores.begin());
  c.racks.clear();
  c.floor_ratio.clear();
  return c;
}

const std::vector<std::string> ruled = {"run.duration_h=0.05", "site.rules_from_s=60",
                                        "site.rules={title=\"t\",date=\"d\",rule={swing={title=\"s\",figure=\"band_"
                                        "rms\",low_Hz=0.1,high_Hz=1.0,limit_MW=0.002}}}"};

}  // namespace

TEST_CASE("the cheapest store that passes is found, passes when run as a whole, and a smaller one does not") {
  const auto s = tiny("", ruled);
  const auto c = choices();
  SizingOptions o;
  o.evaluations_per_choice = 16;
  const auto found = size_portfolio(s, c, o);
  REQUIRE(found.found());
  CHECK(found.n_fleet_run == 1);
  const auto& best = found.best.front();
  REQUIRE_FALSE(best.portfolio.store.empty());
  CHECK_FALSE(std::any_of(found.best.begin(), found.best.end(),
                          [](const Evaluated& e) { return e.passes && e.portfolio.store.empty(); }));
  const auto verdict = [&](const Portfolio& p) {
    for (const auto& [k, v] : sim::run(with_portfolio(s, p, c, catalog::Catalog())).summary)
      if (k == "compliance") return std::get<std::string>(v);
    return std::string();
  };
  CHECK(verdict(best.portfolio) == "pass");
  auto small = best.portfolio;
  small.store_W *= 0.2;
  small.store_J *= 0.2;
  CHECK(verdict(small) == "fail");
  CHECK(best.low_USD < best.yearly_USD);
  CHECK(best.yearly_USD < best.high_USD);
}

TEST_CASE("a portfolio passes with the margin asked for, and more margin never costs less") {
  const auto s = tiny("", ruled);
  const auto at = [&](double margin_frac) {
    const auto found = size_portfolio(s, choices(), {0, 12, {}, margin_frac});
    for (const auto& e : found.best) CHECK(e.passes == (e.worst_margin_frac >= margin_frac));
    REQUIRE(found.found());
    return found.best.front();
  };
  const auto bare = at(0.0), safe = at(0.15);
  CHECK(safe.worst_margin_frac >= 0.15);
  CHECK(safe.yearly_USD >= bare.yearly_USD);
  CHECK(bare.peak_W > 0.0);
}

TEST_CASE("nothing on the Pareto front is beaten by anything else on it") {
  const auto found = size_portfolio(tiny("", ruled), choices(), {0, 6, {}});
  REQUIRE_FALSE(found.front.empty());
  for (const auto& a : found.front)
    for (const auto& b : found.front)
      CHECK_FALSE((a.yearly_USD < b.yearly_USD && a.extra_J_per_year < b.extra_J_per_year &&
                   a.lost_tokens_per_year < b.lost_tokens_per_year && a.worst_margin_frac > b.worst_margin_frac));
}

TEST_CASE("wear shortens a store's life and so raises its yearly cost; a size at an end of the search is said") {
  const auto s = tiny("", ruled);
  auto c = choices();
  const auto kept = size_portfolio(s, c, {0, 8, {}});
  c.stores.front().wear = "wear_lithium_iron_phosphate";  // 6,000 cycles, where iterations make thousands a day
  const auto worn = size_portfolio(s, c, {0, 8, {}});
  const auto with_store = [](const Sizing& z) {
    return *std::find_if(z.best.begin(), z.best.end(), [](const Evaluated& e) { return !e.portfolio.store.empty(); });
  };
  CHECK(with_store(worn).wear_frac_per_year > with_store(kept).wear_frac_per_year);
  CHECK(with_store(worn).store_years < with_store(kept).store_years);
  CHECK(with_store(worn).store_years == Approx(1.0 / with_store(worn).wear_frac_per_year));
  auto narrow = choices();
  narrow.stores.front().shortest_s = narrow.stores.front().longest_s = 30.0;
  CHECK(with_store(size_portfolio(s, narrow, {0, 4, {}})).at_bound.find("duration") != std::string::npos);
}

TEST_CASE("ballast among the choices: a fleet run of its own, which burns power and slows the job") {
  auto c = choices();
  c.stores.clear();
  c.ballast = "ballast_firefly";
  c.ballast_level_ratio = {0.8};
  const auto z = size_portfolio(tiny("", ruled), c, {0, 4, {}});
  CHECK(z.n_fleet_run == 2);
  const auto e =
      *std::find_if(z.best.begin(), z.best.end(), [](const Evaluated& x) { return x.portfolio.ballast_ratio > 0.0; });
  CHECK(e.extra_W > 0.0);
  CHECK(e.lost_throughput_frac > 0.0);
  CHECK(e.portfolio.toml(c).find("level_ratio = 0.8") != std::string::npos);
}

TEST_CASE("smoothing: a fleet run per floor and fall; what a start costs counts once per start, the rest all year") {
  auto c = choices();
  c.stores.clear();
  c.floor_ratio = {0.6};
  c.smoothing_ramp_W_per_s = 100.0;
  c.smoothing_ramp_down_W_per_s = {100.0, 50.0};
  const auto s = tiny("", ruled);
  const auto found = size_portfolio(s, c, {0, 4, {}});
  CHECK(found.n_fleet_run == 3);
  c.starts_per_gpu_year = {0.0, 0.0, 0.0};
  const auto never = size_portfolio(s, c, {0, 4, {}});
  constexpr double year_s = 365.25 * 86400.0;
  std::size_t n = 0;
  for (const auto& e : found.best) {
    CHECK(e.steady_from_s >= 105.0);  // half of what follows 60 s of 180 s, less the last macro step, 30 s at most
    if (!(e.portfolio.floor_ratio > 0.0)) continue;
    ++n;
    CHECK(e.extra_W > 0.0);
    CHECK(e.start_lost_s > 0.0);  // 500 W at 100 W/s
    CHECK(e.start_lost_s < 30.0);
    CHECK(std::abs(e.change_frac) < 0.02);
    const double bare = e.tokens_per_s / (1.0 - e.lost_throughput_frac);
    CHECK(e.lost_tokens_per_year ==
          Approx(bare * (e.lost_throughput_frac * year_s + e.starts_per_year * e.start_lost_s)));
    const auto same = std::find_if(never.best.begin(), never.best.end(),
                                   [&](const Evaluated& o) { return o.portfolio.name() == e.portfolio.name(); });
    REQUIRE(same != never.best.end());
    const double each = c.gpu_USD_per_s.value * 128.0 * e.start_lost_s + c.energy_USD_per_J.value * e.start_extra_J;
    CHECK(e.yearly_USD - same->yearly_USD == Approx(e.starts_per_year * each).epsilon(1e-6));
  }
  CHECK(n == 2);
}

TEST_CASE("a site that leaves the grid in a sag fails a limit on lost load, whatever is bought for its swing") {
  const std::string sag =
      "\n[[event]]\nname = \"dip\"\nkind = \"sag\"\nat_s = 120\nduration_s = 0.3\nvoltage_ratio = 0.4\n";
  const auto s =
      tiny(sag, {"run.duration_h=0.05", "site.rules_from_s=60", "site.load_settings=ride_75pct_20ms",
                 "site.rules={title=\"t\",date=\"d\",rule={lost={title=\"l\",figure=\"load_lost\",limit_MW=0.01}}}"});
  auto c = choices();
  c.stores.clear();
  const auto found = size_portfolio(s, c, {0, 4, {}});
  REQUIRE(found.best.size() == 1);
  const auto& outcome = found.best.front().reports.front().outcomes.front();
  CHECK(outcome.figure.value > 0.03e6);  // the whole site
  CHECK_FALSE(found.found());
}

TEST_CASE("a store that moves the moment of an island's trip has a fleet run of its own, as a whole run shows") {
  const std::string island =
      "\n[site.turbines]\ncatalog = \"gas_turbine_50MW\"\nn_unit = 2\nunit_MW = 0.15\ndispatch_MW = "
      "0.1\nramp_MW_per_min = 0.1\n"
      "\n[[event]]\nname = \"e\"\nkind = \"islanding\"\nat_s = 60\nduration_s = 90\n";
  const auto s = tiny(
      island, {"run.duration_h=0.1", "run.macro_step_s=10", "run.macro_step_max_s=20", "site.rules_from_s=30",
               "site.rules={title=\"t\",date=\"d\",rule={lost={title=\"l\",figure=\"load_lost\",limit_MW=0.01}}}"});
  const auto c = choices();
  const auto found = size_portfolio(s, c, {0, 2, {}});
  CHECK(found.n_fleet_run > 1);
  REQUIRE(found.best.size() > 1);
  for (const auto& e : found.best) {
    const auto whole = sim::run(with_portfolio(s, e.portfolio, c, catalog::Catalog()));
    REQUIRE(figure(whole, "n_interruptions_power") == 1);
    INFO(e.portfolio.name());
    CHECK(e.reports.front().outcomes.front().figure.value ==
          Approx(figure(whole, "load_lost_MW") * 1e6).epsilon(1e-12));
  }
}

TEST_CASE("a small store is named in kilowatts, a large one in megawatts") {
  Portfolio p;
  p.store = "store";
  p.smoothing_s = 5.0;
  p.store_W = 20.4e3, p.store_J = 0.439e-3 * 3.6e9;
  CHECK(p.name() == "store 20.4 kW 0.439 kWh, 5 s");
  p.store_W = 12.34e6, p.store_J = 2.5 * 3.6e9;
  CHECK(p.name() == "store 12.3 MW 2.5 MWh, 5 s");
}
