#include "package_batch.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "package_batch_play.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using namespace detail;

Work load(const PackageBlock& b, const LeakageLaw& law) {
  Work w;
  const auto& m = *b.modes;
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    for (std::size_t k = 0; k < n_mode; ++k) {
      double z = 0.0;
      for (std::size_t i = 0; i < n_mode; ++i) z = std::fma(m.inverse[k][i], b.store_K[i][g] - b.air_K[g], z);
      w.mode_K[k][g] = m.shape[0][k] * z;
    }
    w.exponent[g] = law.log2_factor(b.air_K[g]);
    w.r[g] = b.resistance_ratio[g];
    w.J[g] = 0.0;
    w.peak_K[g] = b.store_K[0][g] - b.air_K[g];
  }
  return w;
}

// dy/dt = −λ y + c r P, so ∫ y dt = (c r ∫P dt − Δy)/λ: exact, whatever the steps were.
void store(const Work& begin, const Work& end, double total_s, PackageBlock& b) {
  const auto& m = *b.modes;
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    double rise_K[n_mode] = {}, die_K_s = 0.0, sink_K_s = 0.0;
    for (std::size_t k = 0; k < n_mode; ++k) {
      const double y = end.mode_K[k][g];
      const double drive_K = m.shape[0][k] * m.gain_K_per_J[k] * end.r[g] * end.J[g];
      const double area = (drive_K - (y - begin.mode_K[k][g])) / m.rate_per_s[k];
      for (std::size_t i = 0; i < n_mode; ++i) rise_K[i] += m.shape[i][k] / m.shape[0][k] * y;
      die_K_s += area;
      sink_K_s += m.shape[n_mode - 1][k] / m.shape[0][k] * area;
    }
    for (std::size_t i = 0; i < n_mode; ++i) b.store_K[i][g] = b.air_K[g] + rise_K[i];
    b.gpu_J[g] = end.J[g];
    b.air_J[g] = m.sink_air_W_per_K / end.r[g] * sink_K_s;
    b.die_mean_K[g] = b.air_K[g] + die_K_s / total_s;
    b.die_peak_K[g] = b.air_K[g] + end.peak_K[g];
  }
}

void check(const BatchPlan& plan, std::span<const LaneWatts> watts, std::span<PackageBlock> blocks,
           const BatchOptions& o) {
  const bool fit = watts.size() == blocks.size() * plan.n_kind &&
                   (o.bounds.empty() || o.bounds.size() == plan.n_kind) &&
                   (o.lane_W.empty() || o.lane_W.size() == blocks.size() * plan.steps.size() * n_package_lane);
  const bool known = std::all_of(plan.steps.begin(), plan.steps.end(), [&](const BatchStep& s) {
    return s.length < plan.length_s.size() && s.kind < plan.n_kind;
  });
  if (!fit || !known || plan.steps.empty())
    throw InputError("package batch: plan, powers, blocks and outputs do not fit together");
}

}  // namespace

BatchPlan make_batch_plan(std::span<const workload::Segment> segments, const StepGrading& grading) {
  if (grading.first <= 0 || grading.longest <= 0 || grading.growth < 1)
    throw InputError("step grading: lengths and growth must be positive");
  BatchPlan plan;
  std::unordered_map<Tick, std::uint32_t> index;
  std::uint32_t last_kind = UINT32_MAX;
  Tick step = grading.first;
  for (const auto& s : segments) {
    if (s.duration < 0) throw InputError("a segment's duration must not be negative");
    if (s.kind != last_kind) step = grading.first;
    last_kind = s.kind;
    plan.n_kind = std::max(plan.n_kind, s.kind + 1);
    for (Tick left = s.duration; left > 0;) {
      const Tick longest = std::min(step, grading.longest);
      // A remainder of up to half a step joins the step before it.
      const Tick d = left <= longest + longest / 2 ? left : longest;
      const auto [at, is_new] = index.try_emplace(d, static_cast<std::uint32_t>(plan.length_s.size()));
      if (is_new) plan.length_s.push_back(seconds(d));
      plan.steps.push_back({at->second, s.kind, 0.0});
      left -= d;
      step = longest < grading.longest ? longest * grading.growth : longest;
    }
  }
  return plan;
}

void advance_packages(const BatchPlan& plan, const LeakageLaw& law, std::span<const LaneWatts> watts,
                      std::span<PackageBlock> blocks, const BatchOptions& options) {
  check(plan, watts, blocks, options);
  const Player play = player(options.instruction_set);
  double total_s = 0.0;
  for (const auto& s : plan.steps) total_s += plan.length_s[s.length];
  std::vector<double> tables(n_together * n_row * plan.length_s.size());
  std::array<Work, n_together> begin, work;
  for (std::size_t first = 0; first < blocks.size(); first += n_together) {
    const std::size_t n = std::min(n_together, blocks.size() - first);
    for (std::size_t b = 0; b < n; ++b) begin[b] = work[b] = load(blocks[first + b], law);
    play({plan, law.log2_per_K(), &watts[first * plan.n_kind], &blocks[first], n, options,
          options.lane_W.empty() ? nullptr : &options.lane_W[first * plan.steps.size() * n_package_lane], tables.data(),
          work.data()});
    for (std::size_t b = 0; b < n; ++b) store(begin[b], work[b], total_s, blocks[first + b]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
