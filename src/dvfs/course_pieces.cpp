#include "course_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "phase_law.hpp"
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

/// math::mean_decay() by the first terms of its series, Σ (−x)^n/(n+1)!
template <int n_term>
TIDEWATT_INLINE double near_mean_decay(double x) {
  double factor = 1.0;
  for (int n = 2; n <= n_term; ++n) factor /= n;
  double out = factor;
  for (int n = n_term; n > 1; --n) out = std::fma(out, -x, factor *= n);
  return out;
}
/// Mean of e^{−λt} over every lane's piece.
template <int n_term>
TIDEWATT_INLINE void set_near_means(double rate_per_s, const Lanes& d, Lanes& mean) {
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) mean.x[l] = near_mean_decay<n_term>(rate_per_s * d.x[l]);
}
/// @param most_s of a piece
TIDEWATT_INLINE void set_means(double rate_per_s, double most_s, const Lanes& d, Lanes& mean) {
  // As many terms as make the series exact to 1e-13.
  const double most_x = rate_per_s * most_s;
  if (most_x <= 0.0015) return set_near_means<4>(rate_per_s, d, mean);
  if (most_x <= 0.06) return set_near_means<7>(rate_per_s, d, mean);
  if (most_x <= 1.2) return set_near_means<14>(rate_per_s, d, mean);
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double x = rate_per_s * d.x[l], far = (1.0 - math::exp(-x)) / x, near = near_mean_decay<9>(x);
    mean.x[l] = x > 0.25 ? far : near;
  }
}

TIDEWATT_INLINE void set_clock(const CourseCommon& c, const Lanes& clock_Hz, const CoursePieces& v, AtClock& out) {
  const auto grid = c.grid;
  const power::SwitchingLaw switching = c.gpu.switching();
  const power::LeakageLaw leakage = c.gpu.leakage();
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const auto table = grid.voltage(clock_Hz.x[l]);
    out.table_V.x[l] = table.V, out.slope_V_per_Hz.x[l] = table.slope_V_per_Hz;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double f = clock_Hz.x[l], V = out.table_V.x[l] + v.offset_V.x[l];
    out.clock_Hz.x[l] = f;
    out.stretch.x[l] = v.reference_Hz.x[l] / f;
    out.dynamic_W.x[l] = switching.multiplied_W(V, f);
    out.leakage_W.x[l] = v.leakage_W.x[l] * leakage.voltage_factor(V);
  }
}

/// @returns the bits of lanes whose sample is over
TIDEWATT_INLINE unsigned samples_over(const CoursePieces& v) {
  unsigned out = 0;
  for (std::size_t l = 0; l < n_lane; ++l) out |= static_cast<unsigned>(v.sample_left_s.x[l] <= over_s) << l;
  return out;
}

/// Adds the samples that are over to their lanes' means.
/// @param sample_W mean of the sample  @param rise_W of the mean since the sample before
TIDEWATT_INLINE void see_samples(const CourseCommon& c, CoursePieces& v, const Lanes& sample_W, Lanes& rise_W) {
  const double n_sample = c.limiter.n_sample(), left_out_frac = static_cast<double>(v.n_past) - n_sample;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool due = v.sample_left_s.x[l] <= over_s;
    const double J = v.window_J.x[l], s = v.window_s.x[l], oldest_J = v.oldest_J.x[l], oldest_s = v.oldest_s.x[l];
    const double more_J = J + (v.sample_J.x[l] - oldest_J), more_s = s + (v.sampled_s.x[l] - oldest_s);
    const double board_W = v.board_W.x[l], before_W = s > 0.0 ? board_W : sample_W.x[l];
    const double second_J = v.second_J.x[l], second_s = v.second_s.x[l];
    const double mean_W = (more_J - left_out_frac * second_J) / (more_s - left_out_frac * second_s);
    rise_W.x[l] = mean_W - before_W;  // read only where a sample is over
    v.board_W.x[l] = due ? mean_W : board_W;
    v.window_J.x[l] = due ? more_J : J, v.window_s.x[l] = due ? more_s : s;
    v.oldest_J.x[l] = due ? second_J : oldest_J, v.oldest_s.x[l] = due ? second_s : oldest_s;
  }
  const std::size_t n_past = v.n_past;
  for (unsigned due = samples_over(v); due != 0; due &= due - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(due));
    auto* past = v.past.data() + l * n_past;
    std::size_t at = v.oldest[l];
    past[at] = {v.sample_J.x[l], v.sampled_s.x[l]};
    v.oldest[l] = at = at + 1 == n_past ? 0 : at + 1;
    const auto& second = past[at + 1 == n_past ? 0 : at + 1];  // read long before it is asked for
    v.second_J.x[l] = second.J, v.second_s.x[l] = second.s;
  }
}

}  // namespace

CourseCommon::CourseCommon(const power::GpuModel& gpu_, double factor_, const CourseLimits& l)
    : gpu(gpu_),
      limits(l),
      sampling(l.sampling == nullptr ? without_peaks() : *l.sampling),
      limiter(gpu_, l.governor, sampling),
      board_peak_W(peak_W(l.governor, gpu_.params())),
      factor(factor_),
      lock_bins(std::floor(limiter.bins(std::min(l.max_Hz, gpu_.clock_max_Hz())) + 1e-9)) {}

TIDEWATT_CLONES
void play_pieces(const CourseCommon& c, CoursePieces& v) {
  const double board_W = c.gpu.params().board_W;
  const ActivityLaw activity(c.gpu.params());
  const power::LeakageLaw leakage = c.gpu.leakage();
  const auto& die = c.limits.die;
  Lanes d, fixed_W, at_leakage_W, over_W;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const bool works = v.context.x[l] > 0.0, peaks = v.peak.clock_Hz.x[l] < v.now.clock_Hz.x[l];
    const double own_stretch = peaks ? v.peak.stretch.x[l] : v.now.stretch.x[l],
                 own_dynamic_W = peaks ? v.peak.dynamic_W.x[l] : v.now.dynamic_W.x[l],
                 own_leakage_W = peaks ? v.peak.leakage_W.x[l] : v.now.leakage_W.x[l];
    const double stretch = works ? own_stretch : v.idle.stretch.x[l],
                 dynamic_W = works ? own_dynamic_W : v.idle.dynamic_W.x[l];
    at_leakage_W.x[l] = works ? own_leakage_W : v.idle.leakage_W.x[l];
    const double busy_s = v.matrix_s.x[l] * stretch, gated_s = std::fma(v.matrix_s.x[l], v.gate.x[l], -busy_s);
    const double slack_s = v.gate.x[l] > stretch ? gated_s : 0.0, duration_s = busy_s + slack_s + v.other_s.x[l];
    const double equivalent_s =
        std::fma(v.active_matrix_s.x[l], stretch, v.active_other_s.x[l]) + activity.wait_s(slack_s);
    const double per_s = 1.0 / duration_s;
    fixed_W.x[l] = std::fma(std::fma(dynamic_W, equivalent_s, v.transfer_J.x[l]), per_s, board_W);
    const double here_s = v.stretch_left_s.x[l] * (duration_s * v.per_whole_s.x[l]);
    const bool ends = here_s <= v.sample_left_s.x[l];
    d.x[l] = ends ? here_s : v.sample_left_s.x[l];
    v.planned_s.x[l] = ends ? v.stretch_left_s.x[l] : d.x[l] * (v.whole_s.x[l] * per_s);
    v.clock_Hz.x[l] = peaks ? v.peak.clock_Hz.x[l] : v.now.clock_Hz.x[l];
    const double work_s = busy_s * per_s * d.x[l];
    v.work_s.x[l] += work_s;
    v.work_cycles.x[l] = std::fma(work_s, v.clock_Hz.x[l], v.work_cycles.x[l]);
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double over_K = v.z_K[0].x[l] + v.z_K[1].x[l] + v.z_K[2].x[l];
    const double raw_W = std::fma(at_leakage_W.x[l] * c.factor, leakage.rise_factor(over_K), fixed_W.x[l]);
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
    set_means(rate_per_s, c.sampling.period_s, d, mean);  // no piece is longer than a sample
    TIDEWATT_LANE_LOOP
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double spent_s = d.x[l] * mean.x[l], left = std::fma(-rate_per_s, spent_s, 1.0);
      v.z_K[m].x[l] = std::fma(v.z_K[m].x[l], left, K_per_J * over_W.x[l] * spent_s);
    }
  }
}

TIDEWATT_CLONES
void end_samples(const CourseCommon& c, CoursePieces& v) {
  const PowerLimiter limiter = c.limiter;
  const double cap_W = c.limits.cap_W, lock_bins = c.lock_bins, up_bins = c.sampling.up_slew_bins,
               period_s = c.sampling.period_s;
  Lanes request, next_bins, next_Hz, sample_W, rise_W;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) sample_W.x[l] = v.sample_J.x[l] / v.sampled_s.x[l];
  see_samples(c, v, sample_W, rise_W);
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double bins = v.clock_bins.x[l], sampled_s = v.sampled_s.x[l];
    const double allowed = limiter
                               .after({v.now.table_V.x[l], v.now.slope_V_per_Hz.x[l]}, v.request_bins.x[l], bins,
                                      sample_W.x[l], {v.board_W.x[l], rise_W.x[l]}, sampled_s, cap_W, 1.0)
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

TIDEWATT_CLONES
void add_clocks(CoursePieces& v) {
  Lanes end, begun, n, first_Hz, second_Hz;
  const Lanes at_before = v.at_part, sum_before_Hz = v.clock_sum_Hz;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double x = v.begin_s.x[l] * v.parts_per_s.x[l], last = v.last_part.x[l] - 1.0, within = x < last ? x : last;
    const double whole = static_cast<std::int32_t>(within);
    end.x[l] = x, begun.x[l] = v.part.x[l];
    n.x[l] = whole + 1.0 - v.part.x[l];
    v.part.x[l] = whole + 1.0;
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double clock_Hz = v.clock_Hz.x[l], at = at_before.x[l], sum_Hz = sum_before_Hz.x[l], part = begun.x[l];
    first_Hz.x[l] = sum_Hz + clock_Hz * (part - at);
    second_Hz.x[l] = sum_Hz + clock_Hz * (part + 1.0 - at);
    v.clock_sum_Hz.x[l] = sum_Hz + clock_Hz * (end.x[l] - at);
    v.at_part.x[l] = end.x[l];
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double first = first_Hz.x[l], second = second_Hz.x[l];
    first_Hz.x[l] = n.x[l] > 0.0 ? first : 0.0;
    second_Hz.x[l] = n.x[l] > 1.0 ? second : 0.0;
  }
  for (std::size_t l = 0; l < n_lane; ++l) v.until_part_Hz[l][static_cast<std::int32_t>(begun.x[l])] += first_Hz.x[l];
  for (std::size_t l = 0; l < n_lane; ++l)
    v.until_part_Hz[l][static_cast<std::int32_t>(begun.x[l]) + 1] += second_Hz.x[l];
  unsigned longer = 0;
  for (std::size_t l = 0; l < n_lane; ++l) longer |= static_cast<unsigned>(n.x[l] > 2.0) << l;
  for (; longer != 0; longer &= longer - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(longer));
    double* to = v.until_part_Hz[l] + static_cast<std::int32_t>(begun.x[l]);
    for (std::int32_t k = 2; k < n.x[l]; ++k)
      to[k] += sum_before_Hz.x[l] + v.clock_Hz.x[l] * (begun.x[l] + k - at_before.x[l]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
