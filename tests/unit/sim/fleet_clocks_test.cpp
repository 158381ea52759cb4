#include "sim/fleet_clocks.hpp"

#include <vector>

#include "catch.hpp"
#include "sim/build_fleet.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

constexpr Tick minute = 60 * ns_per_s;

sim::Stretch stretch(Tick begin, Tick end, double tokens) {
  sim::Stretch s;
  s.begin = begin, s.end = end, s.tokens = tokens, s.iteration_s = 6.0, s.slowest_Hz = 1.4e9;
  return s;
}

}  // namespace

TEST_CASE("own clocks weigh their steps by time and split those that span a full hour of the day") {
  sim::FleetClocks clocks(true);
  const std::vector<double> cold{1.50e9, 1.60e9, 1.70e9, 1.80e9}, warm{1.48e9, 1.56e9, 1.66e9, 1.50e9};
  const sim::NodeRange nodes{0, 2};
  // The run starts at half past ten.
  const auto first = stretch(0, 30 * minute, 300.0), second = stretch(30 * minute, 60 * minute, 200.0),
             third = stretch(60 * minute, 120 * minute, 500.0);
  clocks.add({630 * minute, 0, first, nodes, 2, cold.data()});
  clocks.add({630 * minute, 0, second, nodes, 2, warm.data()});
  clocks.add({630 * minute, 0, third, nodes, 2, cold.data()});
  const auto& hours = clocks.hours().at(0);
  REQUIRE(hours.size() == 3);
  CHECK(hours.at(10).s == Approx(1800.0));
  CHECK(hours.at(11).s == Approx(3600.0));
  CHECK(hours.at(11).tokens == Approx(450.0));
  CHECK(hours.at(12).tokens == Approx(250.0));
  CHECK(hours.at(10).slowest_Hzs / hours.at(10).s == Approx(1.4e9));
  CHECK(hours.at(11).n_gpu == 4.0);
  // Of every node its slowest GPU.
  CHECK(hours.at(11).node_Hzs.at(0) / 3600.0 == Approx(1.49e9));
  CHECK(hours.at(11).node_Hzs.at(1) / 3600.0 == Approx(1.60e9));
  CHECK(clocks.own_mean_Hz(1) == Approx(1.59e9));
  CHECK_FALSE(clocks.iterated(4));
}

TEST_CASE("the hottest die of every GPU is kept over the run") {
  sim::FleetClocks clocks(false);
  const std::vector<double> early{330.0, 340.0}, late{335.0, 338.0};
  clocks.heat(2, early);
  clocks.heat(2, late);
  CHECK(clocks.die_peak_K() == std::vector<double>{0.0, 0.0, 335.0, 340.0});
}

TEST_CASE("looking at clocks changes no bit of a run, and its slowest clock is that of the run") {
  sim::LoadOptions load;
  load.set = {"hall.a.n_gpu=512", "job.main.plan.n_gpu=512", "job.main.plan.global_batch_sequences=64",
              "run.duration_h=2"};
  const auto scenario = sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", load);
  sim::FleetClocks clocks(true);
  sim::RunOptions options;
  options.n_thread = 1, options.clocks = &clocks;
  const auto seen = sim::run(scenario, options), plain = sim::run(scenario, {1, {}});
  for (const char* key : {"tokens_per_s_mean", "clock_slowest_MHz", "die_max_degC", "pcc_mean_MW", "energy_closure"})
    CHECK(sim::figure(seen, key) == sim::figure(plain, key));
  double least_Hz = 1e12, node_Hz = 1e12;
  for (const auto& [at, h] : clocks.hours().at(0)) {
    least_Hz = std::min(least_Hz, h.slowest_Hzs / h.s);
    for (const double Hzs : h.node_Hzs) node_Hz = std::min(node_Hz, Hzs / h.s);
  }
  CHECK(least_Hz * 1e-6 == Approx(sim::figure(seen, "clock_slowest_MHz")).epsilon(2e-3));
  CHECK(node_Hz == Approx(least_Hz).epsilon(1e-4));
}
