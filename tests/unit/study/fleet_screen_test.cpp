#include "study/fleet_screen.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "study_day.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;
using namespace tidewatt::study::detail;

namespace {

/// Six warm hours.
const std::vector<std::string> afternoon = {"run.start=2024-07-20T10:00:00", "run.duration_h=6"};

sim::FleetClocks clocks_of(const sim::Scenario& scenario) {
  sim::FleetClocks out(false);
  sim::RunOptions options;
  options.n_thread = 1, options.clocks = &out;
  sim::run(scenario, options);
  return out;
}

/// Largest |slowest clock in the screen ÷ in the fleet's own run − 1| over the hours, for each of six seeds.
std::vector<double> misses(const sim::Scenario& scenario, const FleetScores& scores) {
  const auto places = node_places(scenario);
  const auto larger = scaled(scenario, 8, 1).value();
  Screen screen(larger, scores);
  for (std::uint64_t seed = 2; seed < 8; ++seed) REQUIRE(screen.take(screened(scenario, places, scores, seed)));
  const auto courses = screen.run(1);
  std::vector<double> out;
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    auto own = scenario;
    own.run.seed = static_cast<std::int64_t>(seed);
    double most = 0.0;
    const auto clocks = clocks_of(own);
    for (const auto& [at, h] : clocks.hours().at(0))
      most = std::max(most, std::abs(courses[seed - 2].slowest_Hz.at(0).at(at) / (h.slowest_Hzs / h.s) - 1.0));
    out.push_back(most);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE(
    "in a screen, fleets have the slowest clocks of their own runs; without the chips' spread in the scores they do "
    "not",
    "[long]") {
  const auto scenario = study_day::of(512, afternoon);
  const auto clocks = clocks_of(scenario);
  const auto places = node_places(scenario);
  const auto draws = sim::draw_fleet(scenario, 1, places.order);
  const auto near = misses(scenario, fleet_scores(places, draws, clocks));
  CHECK(near[4] < 2e-3);  // fans may step otherwise in one
  CHECK(near[2] < 1e-3);
  auto nominal = draws;
  std::fill(nominal.chip.begin(), nominal.chip.end(), power::Chip{});
  std::fill(nominal.resistance_ratio.begin(), nominal.resistance_ratio.end(), 1.0);
  const auto far = misses(scenario, fleet_scores(places, nominal, clocks));
  CHECK(far[2] > 5e-3);
}

TEST_CASE("a larger fleet keeps each replica's work; one with parts of its own size is not scaled") {
  const auto scenario = study_day::of(512, {});
  const auto larger = scaled(scenario, 3, 1);
  REQUIRE(larger);
  CHECK(larger->halls.front().hall.n_gpu == 1536);
  CHECK(larger->jobs.front().plan.micro_batches() == scenario.jobs.front().plan.micro_batches());
  CHECK(larger->windows.empty());
  CHECK_FALSE(scaled(scenario, 1, 3));  // four replicas
  CHECK(scaled(scenario, 1, 4));
  const auto folder = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/";
  const auto smoothed = sim::load_scenario(folder + "llama3_405b_smoothed.toml");
  CHECK_FALSE(scaled(smoothed, 1, 2));
  CHECK(scaled(smoothed, 1, 1));
}

TEST_CASE("a screen is full when a node finds no place in a class of almost its level") {
  const auto scenario = study_day::of(512, afternoon);
  const auto places = node_places(scenario);
  const auto draws = sim::draw_fleet(scenario, 1, places.order);
  const auto scores = fleet_scores(places, draws, clocks_of(scenario));
  Screen screen(scenario, scores);
  std::size_t n = 0;
  for (std::uint64_t seed = 1; seed < 65 && screen.take(screened(scenario, places, scores, seed)); ++seed) ++n;
  CHECK(n >= 1);
  CHECK(n < 17);  // 64 nodes, at least four of every fleet
}

TEST_CASE("a slow host's node is among those that are looked at") {
  const auto scenario = study_day::of(
      512, {"job.main.life.slow_host_frac=0.03", "job.main.life.slow_host_slowdown_frac=0.1", "run.duration_h=1"});
  const auto places = node_places(scenario);
  const auto draws = sim::draw_fleet(scenario, 1, places.order);
  const auto scores = fleet_scores(places, draws, clocks_of(scenario));
  std::size_t n_slow = 0;
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    const auto fleet = screened(scenario, places, scores, seed);
    n_slow += *std::max_element(fleet.slowness.begin(), fleet.slowness.end()) > 1.0 ? std::size_t{1} : 0;
  }
  CHECK(n_slow >= 5);  // of eight, of which one in seven has none
}
