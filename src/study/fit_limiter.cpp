#include "fit_limiter.hpp"

#include <algorithm>
#include <cmath>

#include "entry_base.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::size_t least_readings = 40;
constexpr double gap_s = 2.0;
// After the limiter's mean has reached the limit, the fast limit has let go, at the slews of the catalog.
constexpr double fast_limit_s = 0.3;

/// Energy since the first sample, at equal steps.
struct Energy {
  double first_s, step_s;
  std::vector<double> sum_J;
  double at(double time_s) const {
    const double x = std::clamp((time_s - first_s) / step_s, 0.0, static_cast<double>(sum_J.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(x), sum_J.size() - 2);
    return sum_J[i] + (x - static_cast<double>(i)) * (sum_J[i + 1] - sum_J[i]);
  }
};

/// Share of a step under load: from one reading to the next the load is on for its share of the time, at the end where it goes on, else at the
/// beginning.
double on_share(const LimiterLog& log, std::size_t i, double from_s, double to_s) {
  const double begin_s = log.time_s[i - 1], end_s = log.time_s[i], length_s = log.load_frac[i] * (end_s - begin_s);
  const bool rises = log.load_frac[i - 1] < 0.5;
  const double on_s = rises ? end_s - length_s : begin_s, off_s = rises ? end_s : begin_s + length_s;
  from_s = std::max(from_s, begin_s), to_s = std::min(to_s, end_s);
  if (to_s <= from_s) return log.load_frac[i];
  return std::max(0.0, std::min(to_s, off_s) - std::max(from_s, on_s)) / (to_s - from_s);
}

/// Activity of the work: from the clock that a limit leaves, within 3 %, or hardly known.
PriorParameter activity_prior(const power::GpuModel& gpu, const LimiterLog& log) {
  if (!(log.limited_Hz > gpu.clock_min_Hz() && log.limited_Hz < gpu.clock_max_Hz()))
    return {"activity_work", 0.15, 1.6, true};
  const double V = gpu.voltage(log.limited_Hz).V;
  const double a = std::max(0.05, gpu.activity_at(log.limited_W, V, log.limited_Hz, log.die_K));
  return {"activity_work", a / 1.03, a * 1.03, true};
}

}  // namespace

LimiterModel limiter_model(const std::string& base, const std::string& governor, const LimiterLog& log) {
  const EntryBase entry("gpu", base), sampling("governor", governor);
  LimiterModel m{power::GpuModel(entry.read<power::GpuPowerParams>("power")),
                 entry.read<dvfs::GovernorParams>("governor"),
                 sampling.read<dvfs::SampledGovernorParams>(),
                 {}};
  const double rest_W = *std::min_element(log.power_W.begin(), log.power_W.end());
  const double largest_W = 0.06 * *std::max_element(log.limit_W.begin(), log.limit_W.end());
  // A factor of four: a meter of a second tells longer windows apart, shorter ones not. The entry's range is for runs.
  const double window_s = m.limits.window_s;
  m.prior = {{"window_s", 0.25 * window_s, 4.0 * window_s, true},
             {"cap_margin_W", -0.25 * largest_W, largest_W, false},
             activity_prior(m.gpu, log),
             {"rest_W", 0.7 * rest_W, 1.4 * rest_W, true}};
  return m;
}

std::vector<double> limited_W(const LimiterModel& m, std::span<const double> p, const LimiterLog& log,
                              double sensor_window_s) {
  auto limits = m.limits;
  limits.window_s = p[0], limits.cap_margin_W = p[1];
  const dvfs::PowerLimiter limiter(m.gpu, limits, m.sampling);
  const double step_s = m.sampling.period_s;
  constexpr double rounded_bins = 1.0;
  auto mean = limiter.start_mean();
  double request = limiter.top_bins(), bins = request;

  Energy energy{log.time_s.front(), step_s, {0.0}};
  std::size_t i = 1;
  const auto n_step = static_cast<std::size_t>(std::ceil((log.time_s.back() - energy.first_s) / step_s));
  for (std::size_t k = 0; k < n_step; ++k) {
    const double from_s = energy.first_s + static_cast<double>(k) * step_s;
    while (i + 1 < log.time_s.size() && log.time_s[i] <= from_s + 0.5 * step_s) ++i;
    const double on = on_share(log, i, from_s, from_s + step_s);
    const double f = limiter.clock_Hz(bins), V = m.gpu.voltage(f).V;
    const double loaded_W = m.gpu.state_W(V, f, log.die_K, p[2], 0.0);
    const double W = on * loaded_W + (1.0 - on) * p[3];
    const auto next = limiter.after(request, bins, W, mean.push(W, step_s), step_s, log.limit_W[i], rounded_bins);
    request = next.clock_bins;
    bins = next.peak ? request  // the fast limit acts at once
                     : bins + std::clamp(request - bins, -m.sampling.down_slew_bins, m.sampling.up_slew_bins);
    energy.sum_J.push_back(energy.sum_J.back() + W * step_s);
  }
  std::vector<double> out;
  out.reserve(log.time_s.size());
  for (const double t : log.time_s) {
    const double w = std::max(sensor_window_s, step_s);
    out.push_back((energy.at(t) - energy.at(t - w)) / w);
  }
  return out;
}

Posterior fit_limiter(const LimiterModel& m, const LimiterLog& log, double sensor_window_s) {
  if (log.time_s.size() < least_readings) throw InputError("the limiter needs 40 readings with load and limit");
  // The first readings lack the window before the log. Those just after a rise show the fast limit, which depends on single bins of the clock.
  double begin_s = log.time_s.front() + sensor_window_s + 1.0;
  std::vector<std::size_t> used;
  std::vector<double> time_s;
  for (std::size_t i = 1; i < log.time_s.size(); ++i) {
    if (log.time_s[i] - log.time_s[i - 1] > gap_s)  // what the load and the limiter did is not known
      begin_s = std::max(begin_s, log.time_s[i] + sensor_window_s + gap_s);
    if (log.load_frac[i] >= 0.5 && log.load_frac[i - 1] < 0.5)
      begin_s = std::max(begin_s, log.time_s[i - 1] + sensor_window_s + m.limits.window_s + fast_limit_s);
    if (log.time_s[i] >= begin_s) used.push_back(i), time_s.push_back(log.time_s[i]);
  }
  return fit_posterior(
      m.prior, time_s,
      [&](std::span<const double> p, std::span<double> out) {
        const auto W = limited_W(m, p, log, sensor_window_s);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = W[used[k]] - log.power_W[used[k]];
      },
      0.002);
}

}  // namespace TIDEWATT_NAMESPACE::study
