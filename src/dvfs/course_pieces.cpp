#include "course_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

/// Without a fast limit.
SampledGovernorParams without_peaks() {
  return {.period_s = 0.02,
          .power_gain_Hz = 1.25e9,
          .power_rise_gain_Hz = 1.5e8,
          .peak_ratio = 1e3,
          .peak_slew_bins = 1.0,
          .up_slew_bins = 200.0,
          .down_slew_bins = 200.0,
          .thermal_hysteresis_K = 2.0,
          .slowdown_release_K = 5.0,
          .thermal_gain_bins_per_K_s = 1.0,
          .thermal_gain_bins_per_K = 1.0,
          .brake_clock_ratio = 1.0};
}

constexpr double near_x = 0.25;  ///< up to which the series is exact to 1e-12
/// math::mean_decay() for small x: Σ (−x)^n/(n+1)!
TIDEWATT_INLINE double near_mean_decay(double x) {
  double near = 1.0 / 362880.0;
  near = std::fma(std::fma(near, -x, 1.0 / 40320.0), -x, 1.0 / 5040.0);
  near = std::fma(std::fma(near, -x, 1.0 / 720.0), -x, 1.0 / 120.0);
  near = std::fma(std::fma(near, -x, 1.0 / 24.0), -x, 1.0 / 6.0);
  return std::fma(std::fma(near, -x, 0.5), -x, 1.0);
}

TIDEWATT_INLINE void set_clock(const CourseCommon& c, const Lanes& clock_Hz, const CoursePieces& v, AtClock& out) {
  const auto& p = c.gpu.params();
  const auto grid = c.grid;
  const double per_ref_V = 1.0 / p.voltage_ref_V, per_ref_Hz = 1.0 / p.dynamic_ref_Hz;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double f = clock_Hz.x[l], V = grid.voltage(f).V + v.offset_V.x[l], ratio = V * per_ref_V;
    out.clock_Hz.x[l] = f;
    out.stretch.x[l] = v.reference_Hz.x[l] / f;
    out.dynamic_W.x[l] = p.dynamic_W * ratio * ratio * (f * per_ref_Hz);
    out.leakage_W.x[l] = v.leakage_W.x[l] * math::exp(p.leakage_per_V * (V - p.voltage_ref_V));
  }
}

/// Adds the samples that are over to their lanes' means. @param rise_W of the mean since the sample before
TIDEWATT_INLINE void see_samples(const CourseCommon& c, CoursePieces& v, Lanes& rise_W) {
  const double n_sample = c.limiter.n_sample(), left_out_frac = static_cast<double>(v.past_J.size()) - n_sample;
  Lanes first_J, first_s, next_J, next_s;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool due = v.sample_left_s.x[l] <= over_s;
    double &J = v.past_J[v.oldest[l]].x[l], &s = v.past_s[v.oldest[l]].x[l];
    first_J.x[l] = due ? J : v.sample_J.x[l], first_s.x[l] = due ? s : v.sampled_s.x[l];
    J = due ? v.sample_J.x[l] : J, s = due ? v.sampled_s.x[l] : s;
    const std::size_t next = v.oldest[l] + 1 == v.past_J.size() ? 0 : v.oldest[l] + 1;
    v.oldest[l] = due ? next : v.oldest[l];
    next_J.x[l] = v.past_J[v.oldest[l]].x[l], next_s.x[l] = v.past_s[v.oldest[l]].x[l];
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double J = v.sample_J.x[l], s = v.sampled_s.x[l], had_s = v.window_s.x[l], had_W = v.board_W.x[l];
    const double sum_J = v.window_J.x[l] + (J - first_J.x[l]), sum_s = had_s + (s - first_s.x[l]);
    const double before_W = had_s > 0.0 ? had_W : J / s;
    const double mean_W = (sum_J - left_out_frac * next_J.x[l]) / (sum_s - left_out_frac * next_s.x[l]);
    v.window_J.x[l] = sum_J, v.window_s.x[l] = sum_s;
    v.board_W.x[l] = v.sample_left_s.x[l] <= over_s ? mean_W : had_W;
    rise_W.x[l] = mean_W - before_W;
  }
}

}  // namespace

CourseCommon::CourseCommon(const power::GpuModel& gpu_, double factor_, const CourseLimits& l)
    : gpu(gpu_),
      limits(l),
      sampling(l.sampling == nullptr ? without_peaks() : *l.sampling),
      limiter(gpu_, l.governor, sampling),
      factor(factor_),
      lock_bins(std::floor(limiter.bins(std::min(l.max_Hz, gpu_.clock_max_Hz())) + 1e-9)) {}

TIDEWATT_CLONES
void play_pieces(const CourseCommon& c, CoursePieces& v) {
  const auto& p = c.gpu.params();
  const auto& die = c.limits.die;
  Lanes d, fixed_W, at_leakage_W, over_W;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool works = v.context.x[l] > 0.0;
    const double stretch = works ? v.now.stretch.x[l] : v.idle.stretch.x[l],
                 dynamic_W = works ? v.now.dynamic_W.x[l] : v.idle.dynamic_W.x[l];
    at_leakage_W.x[l] = works ? v.now.leakage_W.x[l] : v.idle.leakage_W.x[l];
    const double busy_s = v.matrix_s.x[l] * stretch, gated_s = std::fma(v.matrix_s.x[l], v.gate.x[l], -busy_s);
    const double slack_s = v.gate.x[l] > stretch ? gated_s : 0.0, duration_s = busy_s + slack_s + v.other_s.x[l];
    const double equivalent_s =
        std::fma(v.active_matrix_s.x[l], stretch, v.active_other_s.x[l]) + p.wait_activity * slack_s;
    const double per_s = 1.0 / duration_s;
    fixed_W.x[l] = std::fma(std::fma(dynamic_W, equivalent_s, v.transfer_J.x[l]), per_s, p.board_W);
    const double here_s = v.stretch_left_s.x[l] * (duration_s * v.per_whole_s.x[l]);
    const bool ends = here_s <= v.sample_left_s.x[l];
    d.x[l] = ends ? here_s : v.sample_left_s.x[l];
    v.planned_s.x[l] = ends ? v.stretch_left_s.x[l] : d.x[l] * (v.whole_s.x[l] * per_s);
    v.clock_Hz.x[l] = v.now.clock_Hz.x[l];
    const double work_s = busy_s * per_s * d.x[l];
    v.work_s.x[l] += work_s;
    v.work_cycles.x[l] = std::fma(work_s, v.clock_Hz.x[l], v.work_cycles.x[l]);
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double over_K = v.z_K[0].x[l] + v.z_K[1].x[l] + v.z_K[2].x[l];
    const double raw_W = std::fma(at_leakage_W.x[l] * c.factor, math::exp(p.leakage_per_K * over_K), fixed_W.x[l]);
    const double W = PowerBounds{v.low_W.x[l], v.high_W.x[l]}.bounded_W(raw_W);
    const double s = d.x[l], J = W * s;
    v.s.x[l] += s, v.J.x[l] += J;
    v.fixed_J.x[l] = std::fma(fixed_W.x[l], s, v.fixed_J.x[l]);
    v.leakage_J.x[l] = std::fma(at_leakage_W.x[l], s, v.leakage_J.x[l]);
    v.sample_J.x[l] += J, v.sampled_s.x[l] += s, v.sample_left_s.x[l] -= s;
    v.repetition_J.x[l] += J, v.repetition_s.x[l] += s;
    v.stretch_left_s.x[l] -= v.planned_s.x[l], v.begin_s.x[l] += v.planned_s.x[l];
    over_W.x[l] = W - v.mean_W.x[l];
  }
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double rate_per_s = die.rate_per_s[m], K_per_J = die.K_per_J[m];
    Lanes mean;
    if (rate_per_s * c.sampling.period_s <= near_x) {  // no piece is longer than a sample
      TIDEWATT_LANE_LOOP
      for (std::size_t l = 0; l < n_lane; ++l) mean.x[l] = near_mean_decay(rate_per_s * d.x[l]);
    } else {
      TIDEWATT_LANE_LOOP
      for (std::size_t l = 0; l < n_lane; ++l) {
        const double x = rate_per_s * d.x[l], far = (1.0 - math::exp(-x)) / x, near = near_mean_decay(x);
        mean.x[l] = x > near_x ? far : near;
      }
    }
    TIDEWATT_LANE_LOOP
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double spent_s = d.x[l] * mean.x[l], left = std::fma(-rate_per_s, spent_s, 1.0);
      v.z_K[m].x[l] = std::fma(v.z_K[m].x[l], left, K_per_J * over_W.x[l] * spent_s);
    }
  }
  const auto grid = c.grid;
  const PowerLimiter limiter = c.limiter;
  const double cap_W = c.limits.cap_W, lock_bins = c.lock_bins, up_bins = c.sampling.up_slew_bins,
               period_s = c.sampling.period_s;
  Lanes volts, slope, request, next_bins, next_Hz, rise_W;
  see_samples(c, v, rise_W);
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const auto table = grid.voltage(v.now.clock_Hz.x[l]);
    volts.x[l] = table.V, slope.x[l] = table.slope_V_per_Hz;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double bins = v.clock_bins.x[l], sampled_s = v.sampled_s.x[l];
    const double allowed = limiter
                               .after({volts.x[l], slope.x[l]}, v.request_bins.x[l], bins, v.sample_J.x[l] / sampled_s,
                                      {v.board_W.x[l], rise_W.x[l]}, sampled_s, cap_W, 1.0)
                               .clock_bins;
    const double goal = allowed < lock_bins ? allowed : lock_bins, slewed = bins + up_bins;
    const double credit = goal + 2.0;  // as the governor: no credit beyond the lock
    request.x[l] = allowed < credit ? allowed : credit;
    next_bins.x[l] = goal < slewed ? goal : slewed;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double left_s = v.sample_left_s.x[l], J = v.sample_J.x[l], s = v.sampled_s.x[l], bins = v.clock_bins.x[l],
                 requested = v.request_bins.x[l];
    const bool due = left_s <= over_s;
    const double to = due ? next_bins.x[l] : bins;
    v.request_bins.x[l] = due ? request.x[l] : requested;
    v.clock_bins.x[l] = to;
    v.sample_J.x[l] = due ? 0.0 : J;
    v.sampled_s.x[l] = due ? 0.0 : s;
    v.sample_left_s.x[l] = due ? period_s : left_s;
    next_Hz.x[l] = limiter.clock_Hz(to);
  }
  set_clock(c, next_Hz, v, v.now);
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
