// Legal input leads to finite figures or to an error that says where: bounds that crash together, events at 0 s, small caps.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const char* smoothing = R"(
[[mitigation]]
name = "smoothing"
kind = "gpu_smoothing"
floor_ratio = 0.65
ramp_up_W_per_s = 100
ramp_down_W_per_s = 100
hysteresis_s = 10
)";

std::string event(const std::string& kind, const std::string& at_s, const std::string& duration_s,
                  const std::string& more = "") {
  return "\n[[event]]\nname = \"e\"\nkind = \"" + kind + "\"\nat_s = " + at_s + "\nduration_s = " + duration_s + "\n" +
         more + "\n";
}

const std::vector<std::string> liquid = {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                         "hall.a.plant=cdu_dry_cooler"};

Value value(const Result& r, const std::string& key) {
  for (const auto& [k, v] : r.summary)
    if (k == key) return v;
  throw std::runtime_error("no figure " + key);
}

std::size_t n_events(const Result& r, const std::string& kind) {
  for (const auto& a : r.arrays)
    if (a.path == "/events/kind") {
      const auto& kinds = std::get<std::vector<std::string>>(a.values);
      return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    }
  throw std::runtime_error("no events");
}

std::string failure(const Scenario& s) {
  try {
    run(s);
  } catch (const SolverError& e) {
    return e.what();
  }
  return "ran";
}

}  // namespace

TEST_CASE("a macro step above its longest is a finding that names both keys", "[finite]") {
  for (const std::vector<std::string>& set :
       {std::vector<std::string>{"run.macro_step_s=1860", "run.macro_step_max_s=1859"}, {"run.macro_step_max_s=59"}}) {
    const auto said = refusal(set);
    INFO(said);
    CHECK(said.find("run.macro_step_max_s") != std::string::npos);
    CHECK(said.find("run.macro_step_s,") != std::string::npos);
  }
  CHECK(refusal({"run.macro_step_s=1860", "run.macro_step_max_s=1860"}) == "accepted");
}

TEST_CASE("drawn recirculation above 0.85 is a finding that names both keys", "[finite]") {
  const auto said = refusal({"hall.a.recirculation_frac=0.5", "hall.a.recirculation_sigma_ratio=2"});
  INFO(said);
  CHECK(said.find("hall.a.recirculation_frac") != std::string::npos);
  CHECK(said.find("recirculation_sigma_ratio") != std::string::npos);
  CHECK(refusal({"hall.a.recirculation_frac=0.5", "hall.a.recirculation_sigma_ratio=2", "run.spread=false"}) ==
        "accepted");
}

TEST_CASE("distribution units that are out from 0 s on strike a plant that was whole", "[finite]") {
  const auto at_zero = run(tiny(event("cdu_out", "0", "50", "hall = \"a\""), liquid));
  const auto at_1ms = run(tiny(event("cdu_out", "0.001", "50", "hall = \"a\""), liquid));
  CHECK(figure(at_zero, "die_max_degC") == Approx(figure(at_1ms, "die_max_degC")).margin(0.5));
  CHECK(figure(at_zero, "energy_closure") < 1e-11);
}

TEST_CASE("servers that a plant cannot serve are an error that names hall, key and time", "[finite]") {
  // Air-cooled servers in a hall whose plant moves 3 % of their heat by air: dies run away before the run begins.
  const auto said = failure(tiny("", {"hall.a.plant=frontier_like_tower"}));
  INFO(said);
  CHECK(said.find("hall.a.plant") != std::string::npos);
  CHECK(said.find("at 0.000 s") != std::string::npos);
}

TEST_CASE("a cap below what the lowest clock needs is a finding; one just above it runs, smoothed or not", "[finite]") {
  const std::string unknown = "hall.a.gpu.power.power_limit_min_W=0";
  for (const auto* cap : {"10", "50", "100"}) {
    const auto said = refusal({std::string("hall.a.cap_W=") + cap, unknown});
    INFO(said);
    CHECK(said.find("hall.a.cap_W") != std::string::npos);
    CHECK(said.find("lowest clock") != std::string::npos);
    CHECK(said.find("not published") != std::string::npos);
  }
  CHECK(refusal({"hall.a.cap_W=700"}) == "accepted");
  const auto said = refusal({"hall.a.cap_W=10", unknown});
  const auto at = said.find("allowed: ");
  REQUIRE(at != std::string::npos);
  const std::string least = said.substr(at + 9, said.find(' ', at + 9) - at - 9);
  const auto r = run(tiny("", {"hall.a.cap_W=" + least, unknown}));
  CHECK(figure(r, "cap_over_max_W") < 20.0);  // the leakiest chip
  CHECK(std::isfinite(figure(run(tiny(smoothing, {"hall.a.cap_W=" + least, unknown})), "iteration_s")));
}

TEST_CASE("a cap below what the driver takes is a finding with its range, wherever it is written", "[finite]") {
  // H100 and H200: 200 W (nvidia-smi); the lowest clock alone would allow 154 W.
  for (const auto* key : {"hall.a.cap_W", "job.main.curtailment.lowest_cap_W"}) {
    const std::vector<std::string> more =
        key[0] == 'j' ? std::vector<std::string>{"job.main.curtailment.may=cap"} : std::vector<std::string>{};
    const auto with = [&](const char* W) {
      auto set = more;
      set.push_back(std::string(key) + "=" + W);
      return refusal(set);
    };
    INFO(key);
    CHECK_THAT(with("199"), Catch::Contains(key) && Catch::Contains("199 W") && Catch::Contains("driver") &&
                                Catch::Contains("200 to 700 W"));
    CHECK(with("200") == "accepted");
  }
  // A driver that takes no limit but the board's says so; the board limit itself is none.
  const std::string fixed = "hall.a.gpu.power.power_limit_min_W=700";
  CHECK_THAT(refusal({"hall.a.cap_W=600", fixed}), Catch::Contains("takes no power limit"));
  CHECK(refusal({fixed}) == "accepted");
  CHECK_THAT(refusal({"hall.a.gpu.power.power_limit_min_W=701"}), Catch::Contains("power_limit_min_W"));
}

TEST_CASE("a cap that is not kept is a figure in watts and share of time", "[finite]") {
  const auto kept = run(tiny("", {"hall.a.cap_W=500"}));
  CHECK(figure(kept, "cap_over_max_W") == 0.0);
  CHECK(figure(kept, "cap_over_percent") == 0.0);
}

TEST_CASE("an order by caps stops at the lowest cap of the device and says so; a power brake goes below", "[finite]") {
  // An order for less than the site draws at the lowest clock: caps fall by a fifth per step.
  const std::vector<std::string> steps = {"run.macro_step_s=5", "run.macro_step_max_s=5"};
  const auto ordered = run(tiny(event("curtailment", "40", "60", "limit_MW = 0.02"), steps));
  CHECK(figure(ordered, "cap_over_max_W") == 0.0);
  CHECK(n_events(ordered, "order_lowest_cap") == 1);
  const auto with = [&](const char* least_W, const char* kind, const char* more) {
    auto set = steps;
    set.push_back(std::string("hall.a.gpu.power.power_limit_min_W=") + least_W);
    return run(tiny(event(kind, "40", "60", more), set));
  };
  // Without a published limit, caps fall to what the lowest clock needs.
  const auto lower = with("0", "curtailment", "limit_MW = 0.02");
  CHECK(figure(lower, "clock_slowest_MHz") < figure(ordered, "clock_slowest_MHz"));
  CHECK(figure(lower, "it_mean_MW") < figure(ordered, "it_mean_MW"));
  // A device that takes no limit cannot have an order by caps, but a brake: that holds the clock.
  const auto free = run(tiny("", steps));
  CHECK_THROWS_WITH(with("700", "curtailment", "limit_MW = 0.02"),
                    Catch::Contains("event.e.by") && Catch::Contains("take no power limit"));
  const auto braked = with("700", "power_brake", "");
  CHECK(n_events(braked, "order_lowest_cap") == 0);
  CHECK(figure(braked, "clock_slowest_MHz") < 0.8 * figure(free, "clock_slowest_MHz"));
}

TEST_CASE("an order too short to be seen has no figures", "[finite]") {
  const auto r = run(tiny(event("curtailment", "112.45", "50", "limit_MW = 0.05")));
  CHECK(std::holds_alternative<std::monostate>(value(r, "order_kept")));
  CHECK_FALSE(std::holds_alternative<std::monostate>(
      value(run(tiny(event("curtailment", "50", "50", "limit_MW = 0.05"))), "order_kept")));
}

TEST_CASE("PUE counts the change of what a battery holds", "[finite]") {
  const std::string charging =
      std::string(tiny_battery) + "soc_initial_frac = 0.5\nsoc_target_frac = 0.9\nsoc_gain_pu = 5\n";
  const auto plain = run(tiny());
  const auto battery = run(tiny(charging));
  // It charges by 0.1 MW for the run; only its losses of 6 % and its standby may count.
  const double charged_MWh = figure(battery, "battery_charged_MWh"),
               it_MWh = figure(plain, "it_mean_MW") * figure(plain, "simulated_s") / 3600.0;
  REQUIRE(charged_MWh > 0.3 * it_MWh);
  const double loss = figure(battery, "battery_loss_MWh") / it_MWh;
  CHECK(figure(battery, "pue") == Approx(figure(plain, "pue") + loss).margin(1e-6));
}

TEST_CASE("books are not refused for the rounding of a level where hardly anything flowed", "[finite]") {
  const std::string turbines =
      "\n[site.turbines]\ncatalog = \"gas_turbine_50MW\"\nn_unit = 2\nunit_MW = 20\ndispatch_MW = 14\n";
  const auto r = run(tiny(turbines + event("utility_loss", "0.001", "200")));
  CHECK(figure(r, "energy_closure") <= 1e-11);
}
