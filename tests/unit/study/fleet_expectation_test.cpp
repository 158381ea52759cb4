#include "study/fleet_expectation.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "study_day.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

struct Base {
  explicit Base(sim::Scenario s) : scenario(std::move(s)), clocks(false) {
    sim::RunOptions options;
    options.n_thread = 1, options.clocks = &clocks;
    result = sim::run(scenario, options);
  }
  study::ChancePart part(std::size_t n_thread = 1, std::uint64_t seed = 1) const {
    return study::fleet_expectation({scenario, result, clocks}, {n_thread, seed, {}});
  }
  sim::Scenario scenario;
  sim::FleetClocks clocks;
  sim::Result result;
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

}  // namespace

TEST_CASE("medians over fleets are those of complete runs of sixteen seeds", "[long]") {
  const Base base(study_day::of(512, {}));
  const auto part = base.part();
  CHECK(part.name == "fleet");
  CHECK(part.n_draw == 320);
  CHECK(part.n_failed == 0);
  std::map<std::string, std::vector<double>> full;
  for (std::int64_t seed = 101; seed <= 116; ++seed) {
    auto other = base.scenario;
    other.run.seed = seed;
    const auto result = sim::run(other, {1, {}});
    for (const auto& [key, logs] : part.logs) full[key].push_back(sim::figure(result, key));
  }
  // Three standard errors of sixteen runs: 0.3 points of swing, 9 MHz, 0.4 % of tokens, 0.5 K.
  const std::map<std::string, double> room = {{"throughput_swing_percent", 0.28},
                                              {"clock_slowest_MHz", 9.0},
                                              {"tokens_per_s_mean", 330.0},
                                              {"iteration_s", 0.027},
                                              {"die_max_degC", 0.5}};
  REQUIRE(part.logs.size() == room.size());
  for (const auto& [key, logs] : part.logs) {
    const double found = sim::figure(base.result, key) * std::exp(median(logs)), wanted = median(full.at(key));
    INFO(key << ": " << found << ", complete runs " << wanted);
    CHECK(std::abs(found - wanted) < room.at(key));
    CHECK(part.median_error.at(key) > 0.0);
  }
  const double swing =
      sim::figure(base.result, "throughput_swing_percent") * std::exp(median(part.logs.at("throughput_swing_percent")));
  CHECK(part.median_error.at("throughput_swing_percent") * swing < 0.035);  // percentage points
}

TEST_CASE("the part has the same bits on one thread and on two") {
  const Base base(study_day::of(512, {"run.duration_h=3"}));
  const auto one = base.part(1), two = base.part(2);
  CHECK(one.logs == two.logs);
  CHECK(one.median_error == two.median_error);
}

TEST_CASE("half an hour has no swing, but other fleets' tokens and clocks") {
  const auto part = Base(study_day::of(512, {"run.duration_h=0.5", "run.start=2024-07-20T14:00:00"})).part();
  CHECK_FALSE(part.logs.contains("throughput_swing_percent"));
  CHECK(part.logs.contains("tokens_per_s_mean"));
  CHECK(part.logs.contains("clock_slowest_MHz"));
}

TEST_CASE("identical chips leave nothing to chance") {
  const auto part = Base(study_day::of(512, {"run.spread=false", "run.duration_h=0.5"})).part();
  CHECK(part.logs.empty());
  CHECK(part.n_draw == 0);
  CHECK_FALSE(part.note.empty());
}

TEST_CASE("a stop ends the part without draws") {
  const Base base(study_day::of(512, {"run.duration_h=0.5"}));
  const auto part = study::fleet_expectation({base.scenario, base.result, base.clocks}, {1, 1, [] { return true; }});
  CHECK(part.logs.empty());
}
