#include "validate/plan_power.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "catch.hpp"
#include "fleet/step_lengths.hpp"
#include "validate/limited_plan.hpp"
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
  const auto pace = limited_plan("h100_sxm_700W", 0.0, model).pace;
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

TEST_CASE("after a wait the limiter lets GPUs draw more than before it, as in a run", "[validate][P6]") {
  const TrainingRun run = run_named(training_runs(), "P6/period");
  const workload::IterationModel model(model_entry(run.model), run.plan, compute_entry(run.device),
                                       network_entry(run.network));
  auto plan = limited_plan("h100_sxm_700W", 0.0, model);
  const std::vector<double> slowest{*std::min_element(plan.pace.begin(), plan.pace.end())};
  auto timeline = model.iteration(slowest);
  fleet::split_after_waits(timeline);
  const auto W = gpu_powers(plan, model, timeline, slowest, 333.15);
  for (std::size_t c = 0; c < W.size(); ++c) {  // each stage: the first and the middle one of its longest kinds
    const auto& segments = timeline.classes[c];
    double first_W = 0.0, later_W = 0.0, J = 0.0;
    Tick at = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      J += W[c][i] * seconds(segments[i].duration);
      if (W[c][i] > first_W && at < ns_per_s) first_W = W[c][i];
      if (at > timeline.period / 2 && at < timeline.period / 2 + ns_per_s) later_W = std::max(later_W, W[c][i]);
      at += segments[i].duration;
    }
    CAPTURE(c);
    CHECK(first_W > 1.03 * later_W);
    CHECK(J / seconds(timeline.period) < 692.0);
    CHECK(J / seconds(timeline.period) > 0.97 * 692.0);
  }
}
