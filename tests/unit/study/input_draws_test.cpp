#include "study/input_draws.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "sim/shipped_scenarios.hpp"
#include "tidewatt/power/gpu.hpp"

using namespace tidewatt;
using study::input_draws;

namespace {

study::ReducedFleet fleet_of(const std::string& name, std::vector<std::string> set = {}) {
  sim::LoadOptions load;
  load.set = std::move(set);
  return study::reduced_fleet(sim::load_scenario(name, load));
}

/// Hall, GPU, model, tp, pp: all else comes from defaults.
sim::Scenario minimal() {
  return sim::load_scenario_text(
      "schema = 1\n[run]\nduration_h = 1\n[[hall]]\nname = \"a\"\nn_gpu = 512\ngpu = \"h100_sxm_700W\"\n[[job]]\nname "
      "= "
      "\"main\"\nmodel = \"llama3_70b\"\n[job.plan]\ntp = 8\npp = 4\n",
      "minimal", ".");
}

}  // namespace

TEST_CASE("every draw of every shipped scenario can be checked, and moves all assumed inputs that have a range",
          "[long]") {
  for (const auto& name : sim::shipped_scenarios()) {
    INFO(name);
    const auto fleet = fleet_of(name);
    const auto drawn = input_draws(fleet, catalog::Catalog(), 4, 1);
    INFO(drawn.refusal);
    REQUIRE(drawn.draws.size() == 4);
    for (const auto& a : fleet.scenario.assumed)
      if (a.low < a.high) {
        INFO(a.key);
        CHECK(drawn.draws.front().contains(a.key));
      }
    CHECK_NOTHROW(sim::check(sim::with_values(fleet.scenario, drawn.draws.back())));
  }
}

TEST_CASE("devices that a scenario does not name are drawn as if it named them") {
  study::ReducedFleet fleet;
  fleet.scenario = minimal();
  const auto drawn = input_draws(fleet, catalog::Catalog(), 32, 1);
  REQUIRE(drawn.draws.size() == 32);
  std::set<double> dynamic_W;
  for (const auto& d : drawn.draws) dynamic_W.insert(sim::with_values(fleet.scenario, d).halls.front().gpu.dynamic_W);
  CHECK(dynamic_W.size() > 24);
}

TEST_CASE("values that a GPU's measurements hold together come in whole rows") {
  const auto fleet = fleet_of("llama3_405b_day");
  for (const auto& draw : input_draws(fleet, catalog::Catalog(), 8, 1).draws) {
    const auto power = sim::with_values(fleet.scenario, draw).halls.front().gpu;
    const power::GpuModel gpu(power);
    // What rests at 71 W does so in each draw, within two errors of 1.2 W.
    const double rest_W = power.board_W + gpu.params().rest_leakage_ratio * power.leakage_W *
                                              gpu.leakage_temperature_factor(306.15) *
                                              gpu.leakage_voltage_factor(gpu.voltage(gpu.clock_min_Hz()).V);
    CHECK(rest_W == Approx(71.0).margin(4.0));
  }
}

TEST_CASE("one thing in two halls has one value; a curve moves by one factor and still ascends") {
  const auto fleet = fleet_of("gb200_nvl72_row");
  const auto before = fleet.scenario.halls.front().gpu.vf_voltage_V;
  for (const auto& draw : input_draws(fleet, catalog::Catalog(), 8, 1).draws) {
    const auto after = sim::with_values(fleet.scenario, draw).halls.front().gpu.vf_voltage_V;
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 1; i < after.size(); ++i) {
      CHECK(after[i] / before[i] == Approx(after[0] / before[0]).epsilon(1e-9));
      CHECK(after[i] >= after[i - 1]);
    }
  }
  const auto two = input_draws(fleet_of("xai_100k"), catalog::Catalog(), 2, 1);
  REQUIRE_FALSE(two.draws.empty());
  std::set<double> host_W;
  for (const auto& [key, value] : two.draws.front())
    if (key.ends_with(".server.power.host_W")) host_W.insert(value);
  CHECK(host_W.size() == 1);
}

TEST_CASE("equal seeds give equal draws, others do not") {
  const auto fleet = fleet_of("power_brake");
  const catalog::Catalog c;
  CHECK(input_draws(fleet, c, 4, 1).draws == input_draws(fleet, c, 4, 1).draws);
  CHECK(input_draws(fleet, c, 4, 1).draws != input_draws(fleet, c, 4, 2).draws);
}

TEST_CASE("days lie within a month of the start, where the weather has other days") {
  const auto s = sim::load_scenario("llama3_405b_day");
  const auto days = study::day_draws(s, 8);
  REQUIRE(days.starts.size() == 8);
  for (const auto& start : days.starts) CHECK((start >= "2024-06-20" && start <= "2024-08-20"));
  CHECK(std::set<std::string>(days.starts.begin(), days.starts.end()).size() == 8);
}

TEST_CASE("values that are equally likely are drawn equally often, and nothing between them") {
  sim::LoadOptions load;
  const auto fleet = study::reduced_fleet(sim::load_scenario("llama3_405b_day", load));
  const auto drawn = input_draws(fleet, catalog::Catalog(), 32, 1);
  REQUIRE(drawn.draws.size() == 32);
  const auto n_of = [&](double value) {
    return std::count_if(drawn.draws.begin(), drawn.draws.end(),
                         [&](const auto& d) { return d.at("job.main.plan.virtual_stages") == value; });
  };
  CHECK(n_of(4.0) + n_of(8.0) == 32);
  CHECK(std::abs(n_of(4.0) - 16) <= 4);  // 16 of a hypercube, but for candidates that were refused
}

TEST_CASE("each word is drawn equally often, and the other inputs have the draws that they have without it") {
  study::ReducedFleet fleet;
  fleet.scenario = minimal();
  const std::string key = "job.main.plan.recompute";
  const auto drawn = input_draws(fleet, catalog::Catalog(), 48, 1);
  REQUIRE(drawn.draws.size() == 48);
  std::map<std::string, int> n_of;
  for (const auto& d : drawn.draws) ++n_of[sim::with_values(fleet.scenario, d).jobs.front().plan.recompute];
  REQUIRE(n_of.size() == 3);
  for (const char* word : {"none", "selective", "full"}) {
    INFO(word);
    CHECK(std::abs(n_of[word] - 16) <= 4);  // 16 of a hypercube, but for candidates that were refused
  }
  auto without = fleet;
  std::erase_if(without.scenario.assumed, [](const auto& a) { return !a.words.empty(); });
  const auto plain = input_draws(without, catalog::Catalog(), 48, 1);
  REQUIRE(drawn.n_refused == 0);
  REQUIRE(plain.n_refused == 0);
  for (std::size_t i = 0; i < 48; ++i)
    for (const auto& [of_number, value] : plain.draws[i]) CHECK(drawn.draws[i].at(of_number) == value);
  CHECK_FALSE(plain.draws.front().contains(key));
}
