#include "tidewatt/dvfs/governor.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::dvfs {

void SampledGovernorParams::fields(FieldVisitor& v) {
  v.number("period_ms", period_s, {0.1, 1000}, "time between two samples");
  v.number("power_gain_MHz", power_gain_Hz, {1, 1e5},
           "limit of the mean power: clock per window for an error of the whole limit");
  v.number("power_rise_gain_MHz", power_rise_gain_Hz, {0, 1e4},
           "limit of the mean power: clock against a rise of the mean by the whole limit");
  v.number("peak_ratio", peak_ratio, {1, 3}, "fast limit: power of one sample ÷ the board's rating, whatever the cap");
  v.number("peak_slew_bins", peak_slew_bins, {1, 200}, "bins that the fast limit may drop per sample");
  v.number("up_slew_bins", up_slew_bins, {1, 200}, "bins upwards per sample");
  v.number("down_slew_bins", down_slew_bins, {1, 200}, "bins downwards per sample");
  v.number("thermal_hysteresis_K", thermal_hysteresis_K, {0, 20},
           "the thermal limiter releases the clock this far below its target");
  v.number("slowdown_release_K", slowdown_release_K, {0, 30}, "slowdown ends this far below the slowdown temperature");
  v.number("thermal_gain_bins_per_K_s", thermal_gain_bins_per_K_s, {0.001, 100},
           "integral gain of the thermal limiter");
  v.number("thermal_gain_bins_per_K", thermal_gain_bins_per_K, {0, 200}, "proportional gain of the thermal limiter");
  v.number("brake_clock_ratio", brake_clock_ratio, {0.05, 1}, "clock under the power brake ÷ highest clock");
}

PowerLimiter::PowerLimiter(const power::GpuModel& gpu, const GovernorParams& limits,
                           const SampledGovernorParams& sampling)
    : gpu_(&gpu),
      n_sample_(std::max(1.0, limits.window_s / sampling.period_s)),
      gain_bins_per_s_(sampling.power_gain_Hz / (power::GpuModel::bin_Hz * limits.window_s)),
      rise_gain_bins_(sampling.power_rise_gain_Hz / power::GpuModel::bin_Hz),
      limits_(limits),
      peak_W_(sampling.peak_ratio * gpu.params().tdp_W),
      peak_slew_bins_(sampling.peak_slew_bins),
      lowest_Hz_(gpu.clock_min_Hz()),
      top_bins_(std::floor(bins(gpu.clock_max_Hz()) + 1e-9)) {}

PowerMean::PowerMean(double n_sample)
    : J_(static_cast<std::size_t>(std::ceil(n_sample))),
      s_(J_.size()),
      left_out_frac_(std::ceil(n_sample) - n_sample) {}

PowerMean::Value PowerMean::push(double sample_W, double sample_s) {
  const double before_W = sum_s_ > 0.0 ? mean_W_ : sample_W;
  double &J = J_[oldest_], &s = s_[oldest_];
  sum_J_ += sample_W * sample_s - J, sum_s_ += sample_s - s;
  J = sample_W * sample_s, s = sample_s;
  if (++oldest_ == J_.size()) oldest_ = 0;
  mean_W_ = (sum_J_ - left_out_frac_ * J_[oldest_]) / (sum_s_ - left_out_frac_ * s_[oldest_]);
  return {mean_W_, mean_W_ - before_W};
}

SampledGovernor::SampledGovernor(const power::GpuModel& gpu, const GovernorParams& limits,
                                 const SampledGovernorParams& sampling)
    : gpu_(gpu), limits_(limits), sampling_(sampling), limiter_(gpu, limits, sampling) {}

GovernorState SampledGovernor::start(std::size_t n_gpu, double clock_Hz) const {
  GovernorState s;
  const double at = std::clamp(std::round(limiter_.bins(clock_Hz)), 0.0, limiter_.top_bins());
  s.request_bins.assign(n_gpu, at);
  s.dither_bins.assign(n_gpu, 0.0);
  s.ceiling_bins.assign(n_gpu, limiter_.top_bins());
  s.mean.assign(n_gpu, limiter_.start_mean());
  s.bin.assign(n_gpu, static_cast<std::int32_t>(at));
  s.thermal_on.assign(n_gpu, 0);
  s.slowdown_on.assign(n_gpu, 0);
  s.off.assign(n_gpu, 0);
  s.held_s.assign(n_gpu, {});
  return s;
}

double SampledGovernor::hot_bins(double die_K, double ceiling_bins) const {
  return std::clamp(ceiling_bins + sampling_.thermal_gain_bins_per_K * (limits_.thermal_target_K - die_K), 0.0,
                    limiter_.top_bins());
}

void SampledGovernor::limit_heat(double die_K, std::size_t g, GovernorState& s) const {
  double& ceiling = s.ceiling_bins[g];
  if (die_K >= limits_.thermal_target_K && !s.thermal_on[g]) {
    s.thermal_on[g] = 1;
    ceiling = s.bin[g];
  }
  if (s.thermal_on[g]) {
    const double step = sampling_.period_s * sampling_.thermal_gain_bins_per_K_s * (limits_.thermal_target_K - die_K);
    ceiling = std::clamp(ceiling + step, 0.0, limiter_.top_bins());
    // It releases only once the die is cool and it no longer limits.
    if (die_K < limits_.thermal_target_K - sampling_.thermal_hysteresis_K &&
        hot_bins(die_K, ceiling) >= s.request_bins[g]) {
      s.thermal_on[g] = 0;
      ceiling = limiter_.top_bins();
    }
  }
  if (die_K >= limits_.slowdown_K) s.slowdown_on[g] = 1;
  if (die_K < limits_.slowdown_K - sampling_.slowdown_release_K) s.slowdown_on[g] = 0;
  if (die_K >= limits_.shutdown_K) s.off[g] = 1;
}

void SampledGovernor::decide(const GovernorView& view, GovernorState& s) const {
  for (std::size_t g = 0; g < s.bin.size(); ++g) {
    const auto mean = s.mean[g].push(view.sample_W[g], sampling_.period_s);
    const auto power =
        limiter_.after(s.request_bins[g], s.bin[g], view.sample_W[g], mean, sampling_.period_s, view.cap_W[g]);
    s.request_bins[g] = power.clock_bins;
    limit_heat(view.die_K[g], g, s);

    // The lowest of all limits applies; of equal ones the first in this order.
    const double lock = std::floor(limiter_.bins(std::min(view.lock_Hz[g], gpu_.clock_max_Hz())) + 1e-9);
    double goal = limiter_.top_bins();
    Held held = Held::none;
    bool at_once = false;
    const auto bound = [&](double to, Held why, bool now) {
      if (to < goal) goal = to, held = why, at_once = now;
    };
    if (s.off[g]) bound(0.0, Held::shutdown, true);
    if (view.brake[g])
      bound(std::floor(limiter_.bins(sampling_.brake_clock_ratio * gpu_.clock_max_Hz())), Held::brake, true);
    if (s.slowdown_on[g])
      bound(std::floor(limiter_.bins(limits_.slowdown_clock_ratio * gpu_.clock_max_Hz())), Held::slowdown, true);
    if (s.thermal_on[g]) bound(hot_bins(view.die_K[g], s.ceiling_bins[g]), Held::thermal, false);
    bound(lock, Held::clock_lock, false);
    bound(s.request_bins[g], power.peak ? Held::peak : Held::power_cap, power.peak);
    // Credit beyond another limit would burst once that limit lets go.
    s.request_bins[g] = std::min(s.request_bins[g], goal + 2.0);

    const double want = std::max(0.0, goal) + s.dither_bins[g];
    const double now = s.bin[g];
    double next = std::round(want);
    if (!at_once) next = std::clamp(next, now - sampling_.down_slew_bins, now + sampling_.up_slew_bins);
    next = std::clamp(next, 0.0, std::max(0.0, std::ceil(std::min(goal, lock))));
    s.dither_bins[g] = std::clamp(want - next, -0.5, 0.5);
    s.bin[g] = static_cast<std::int32_t>(next);
    s.held_s[g][static_cast<std::size_t>(held)] += sampling_.period_s;
  }
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
