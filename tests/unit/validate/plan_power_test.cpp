#include "validate/plan_power.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "catch.hpp"
#include "validate/training_runs.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("meters keep a wave's mean, spread a short dip over their window and weaken lines by their pole",
          "[validate][P6]") {
  constexpr double step_s = 1e-3;
  std::vector<double> dip(10000, 7000.0), sine(10000);
  std::fill(dip.begin() + 9700, dip.end(), 3000.0);  // 0.3 s of 4,000 W
  const auto seen = through_meters(dip, step_s, 2.0, 0.0);
  CHECK(mean_of(seen) == Approx(mean_of(dip)));
  CHECK(7000.0 - *std::min_element(seen.begin(), seen.end()) == Approx(4000.0 * 0.3 / 2.0));
  CHECK(through_meters(dip, step_s, 0.0, 0.0) == dip);
  for (std::size_t i = 0; i < sine.size(); ++i)
    sine[i] = std::sin(2.0 * std::numbers::pi * 3.0 * static_cast<double>(i) / static_cast<double>(sine.size()));
  const auto lagged = through_meters(sine, step_s, 0.0, 1.0);
  CHECK(*std::max_element(lagged.begin(), lagged.end()) ==
        Approx(1.0 / std::hypot(1.0, 2.0 * std::numbers::pi * 0.3)).epsilon(1e-3));
  const auto windowed = through_meters(sine, step_s, 2.0, 0.0);
  const double x = std::numbers::pi * 0.3 * 2.0;
  CHECK(*std::max_element(windowed.begin(), windowed.end()) == Approx(std::sin(x) / x).epsilon(1e-3));
}

TEST_CASE("replicas with better chips wait longer, and scatter lengthens the iteration", "[validate][P6]") {
  const TrainingRun run = run_named(training_runs(), "P6/period");
  const workload::IterationModel model(model_entry(run.model), run.plan, compute_entry(run.device),
                                       network_entry(run.network));
  const auto pace = replica_paces_at("h100_sxm_700W", 0.0, model);
  REQUIRE(pace.size() == 16);
  CHECK(*std::min_element(pace.begin(), pace.end()) == slowest_pace_at("h100_sxm_700W", 0.0, model));
  CHECK(*std::max_element(pace.begin(), pace.end()) > 1.002 * *std::min_element(pace.begin(), pace.end()));
  const PlanPower calm = plan_power("h100_sxm_700W", "dgx_h100", model, 0.0, 333.15);
  CHECK(seconds(calm.timeline.period) == Approx(iteration_s(run)).epsilon(1e-9));
  const PlanPower scattered = plan_power("h100_sxm_700W", "dgx_h100", model, 0.003, 333.15);
  CHECK(scattered.timeline.period > calm.timeline.period);
  const auto waits_s = [](const PlanPower& p) {
    double s = 0.0;
    for (const auto& segments : p.timeline.classes)
      for (const auto& segment : segments)
        if (p.timeline.kinds[segment.kind].wait_s > 0.0) s += seconds(segment.duration);
    return s / static_cast<double>(p.timeline.classes.size());
  };
  CHECK(waits_s(scattered) > waits_s(calm));
  CHECK(mean_of(scattered.class_mean_W()) < mean_of(calm.class_mean_W()));
  const auto bins = scattered.mean_node().bin_J;
  CHECK(std::accumulate(bins.begin(), bins.end(), 0.0) ==
        Approx(mean_of(scattered.class_mean_W()) * seconds(scattered.timeline.period)));
}
