#include "fit_poles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Shorter windows than this share of the readings' distance count as not overlapping.
constexpr double overlap_ratio = 0.75;
/// A counter is updated at its own rate: rows closer than this do not give a power and are joined.
constexpr double counter_step_s = 0.25;
constexpr double start_s = 10.0;  // several fast time constants

double median_step_s(const std::vector<double>& time_s) {
  std::vector<double> step;
  for (std::size_t i = 1; i < time_s.size(); ++i) step.push_back(time_s[i] - time_s[i - 1]);
  const auto middle = step.begin() + static_cast<std::ptrdiff_t>(step.size() / 2);
  std::nth_element(step.begin(), middle, step.end());
  return *middle;
}

void add_sample(ThermalDrive& d, double at_s, double die_K, double step_s, double power_W) {
  d.pieces.push_back({step_s, power_W, static_cast<std::ptrdiff_t>(d.time_s.size())});
  d.time_s.push_back(at_s);
  d.die_K.push_back(die_K);
}

/// The mean of a window that lies between those of its neighbours is a step from one to the other inside the window, at the instant that
/// gives its mean; any other mean is held.
void add_window(ThermalDrive& d, double at_s, double die_K, double step_s, double before_W, double mean_W,
                double after_W) {
  const double share = (mean_W - before_W) / (after_W - before_W);  // of the window after the step; NaN without one
  if (!(share > 0.0 && share < 1.0)) return add_sample(d, at_s, die_K, step_s, mean_W);
  d.pieces.push_back({(1.0 - share) * step_s, before_W, -1});
  add_sample(d, at_s, die_K, share * step_s, after_W);
}

void from_counter(const GpuTelemetry& t, ThermalDrive& d) {
  const auto& r = t.record;
  d.power_from = "energy counter";
  std::vector<std::size_t> row = {0};
  for (std::size_t i = 1; i < r.size(); ++i)
    if (r.time_s[i] - r.time_s[row.back()] >= counter_step_s || i + 1 == r.size()) row.push_back(i);
  const auto mean_W = [&](std::size_t k) {
    k = std::clamp<std::size_t>(k, 1, row.size() - 1);
    return (t.energy_J[row[k]] - t.energy_J[row[k - 1]]) / (r.time_s[row[k]] - r.time_s[row[k - 1]]);
  };
  for (std::size_t k = 1; k < row.size(); ++k)
    add_window(d, r.time_s[row[k]], r.die_K[row[k]], r.time_s[row[k]] - r.time_s[row[k - 1]], mean_W(k - 1), mean_W(k),
               mean_W(k + 1));
}

void from_single_windows(const ThermalRecord& r, double window_s, ThermalDrive& d) {
  d.power_from =
      window_s > 0.0 ? fmt::format("means over the {:g} s before each reading", window_s) : "readings of the instant";
  d.pieces.push_back({window_s, r.power_W[0], -1});  // the first reading covers the time before it
  for (std::size_t i = 1; i < r.size(); ++i) {
    const double step_s = r.time_s[i] - r.time_s[i - 1], covered_s = std::min(window_s, step_s);
    const double before_W = r.power_W[i - 1], after_W = r.power_W[std::min(i + 1, r.size() - 1)];
    if (covered_s < step_s) d.pieces.push_back({step_s - covered_s, 0.5 * (before_W + r.power_W[i]), -1});
    if (covered_s > 0.0)
      add_window(d, r.time_s[i], r.die_K[i], covered_s, before_W, r.power_W[i], after_W);
    else
      add_sample(d, r.time_s[i], r.die_K[i], 0.0, r.power_W[i]);
  }
}

void from_overlapping_windows(const ThermalRecord& r, double window_s, ThermalDrive& d) {
  d.power_from = fmt::format("overlapping means over {:g} s; temperatures averaged alike", window_s);
  std::vector<double> sum = {0.0};  // ∫ T dt from the first reading
  for (std::size_t i = 1; i < r.size(); ++i)
    sum.push_back(sum.back() + 0.5 * (r.die_K[i] + r.die_K[i - 1]) * (r.time_s[i] - r.time_s[i - 1]));
  const auto integral = [&](double at_s) {
    const auto next =
        static_cast<std::size_t>(std::upper_bound(r.time_s.begin(), r.time_s.end(), at_s) - r.time_s.begin());
    if (next == r.size()) return sum.back();
    const double x_s = at_s - r.time_s[next - 1], share = x_s / (r.time_s[next] - r.time_s[next - 1]);
    return sum[next - 1] + x_s * (r.die_K[next - 1] + 0.5 * share * (r.die_K[next] - r.die_K[next - 1]));
  };
  d.pieces.push_back({window_s, r.power_W[0], -1});  // the first reading covers the time before it
  double due_s = r.time_s.front() + window_s;
  for (std::size_t i = 1; i < r.size(); ++i) {
    const double at_s = r.time_s[i], step_s = at_s - r.time_s[i - 1], mean_W = 0.5 * (r.power_W[i - 1] + r.power_W[i]);
    if (at_s < due_s - 1e-9) {
      d.pieces.push_back({step_s, mean_W, -1});
      continue;
    }
    add_sample(d, at_s, (integral(at_s) - integral(at_s - window_s)) / window_s, step_s, mean_W);
    due_s = at_s + window_s;
  }
}

/// Removes the temperatures of the first seconds: they depend on the initial state of the fast pole, which is not measured.
ThermalDrive without_start(ThermalDrive d) {
  d.first_W = d.pieces.front().power_W;
  const double until_s = d.time_s.front() + start_s;
  const auto cut = std::upper_bound(d.time_s.begin(), d.time_s.end(), until_s) - d.time_s.begin();
  for (auto& p : d.pieces) p.sample = p.sample >= cut ? p.sample - cut : -1;
  d.time_s.erase(d.time_s.begin(), d.time_s.begin() + cut);
  d.die_K.erase(d.die_K.begin(), d.die_K.begin() + cut);
  if (d.time_s.size() < 20)
    throw InputError(
        fmt::format("{} temperatures after the first {:g} s; a thermal fit needs 20", d.time_s.size(), start_s));
  return d;
}

}  // namespace

ThermalDrive thermal_drive(const GpuTelemetry& t, double window_s) {
  const auto& r = t.record;
  if (r.size() < 20) throw InputError(fmt::format("GPU {}: {} samples; a thermal fit needs 20", t.gpu, r.size()));
  for (std::size_t i = 1; i < r.size(); ++i)
    if (!(r.time_s[i] > r.time_s[i - 1])) throw InputError("telemetry: times must ascend");
  ThermalDrive d;
  for (std::size_t i = 1; i < r.size(); ++i) d.longest_gap_s = std::max(d.longest_gap_s, r.time_s[i] - r.time_s[i - 1]);
  const bool counted = t.energy_J.size() == r.size();
  if (counted)
    from_counter(t, d);
  else if (median_step_s(r.time_s) >= overlap_ratio * window_s)
    from_single_windows(r, window_s, d);
  else
    from_overlapping_windows(r, window_s, d);
  return without_start(std::move(d));
}

TwoPoles package_poles(const thermal::PackageParams& package, double fan_frac) {
  const auto m = thermal::package_modes(package, fan_frac);  // slowest first
  const double slow_s = 1.0 / m.rate_per_s[0], fast_s = 1.0 / m.rate_per_s[1],
               slow = m.shape[0][0] * m.gain_K_per_J[0] * slow_s;
  return {m.steady_K_per_W - slow, fast_s, slow, slow_s, 0.0, 0.0, {}};
}

std::vector<PriorParameter> pole_priors(const TwoPoles& own, double tdp_W) {
  const auto around = [](const char* key, double middle, double factor) {
    return PriorParameter{key, middle / factor, middle * factor, true};
  };
  return {around("fast_K_per_W", own.fast_K_per_W, 2.4), around("fast_s", own.fast_s, 2.8),
          around("slow_K_per_W", own.slow_K_per_W, 2.6), around("slow_s", own.slow_s, 3.2),
          {"ambient_K", 278.15, 333.15, false},          {"before_W", 0.0, tdp_W, false}};
}

TwoPoles poles_at(const std::vector<PriorParameter>& prior, std::span<const double> z) {
  const auto p = [&](std::size_t i) { return prior_value(prior[i], z[i]); };
  return {p(0), p(1), p(2), p(3), z.size() > 4 ? p(4) : 0.0, 0.0, {}};
}

std::vector<double> predict_die_K(const TwoPoles& p, const ThermalDrive& drive, double before_W) {
  double fast_K = p.fast_K_per_W * drive.first_W, slow_K = p.slow_K_per_W * before_W;
  double last_s = -1.0, fast_kept = 0.0, slow_kept = 0.0;
  std::vector<double> out(drive.time_s.size());
  for (const auto& piece : drive.pieces) {
    if (std::abs(piece.step_s - last_s) > 1e-9) {  // most logs have equal steps
      last_s = piece.step_s;
      fast_kept = math::exp(-last_s / p.fast_s), slow_kept = math::exp(-last_s / p.slow_s);
    }
    const double fast_goal = p.fast_K_per_W * piece.power_W, slow_goal = p.slow_K_per_W * piece.power_W;
    fast_K = fast_goal + (fast_K - fast_goal) * fast_kept;
    slow_K = slow_goal + (slow_K - slow_goal) * slow_kept;
    if (piece.sample >= 0) out[static_cast<std::size_t>(piece.sample)] = p.ambient_K + fast_K + slow_K;
  }
  return out;
}

Posterior fit_poles(const ThermalDrive& drive, const TwoPoles& own, double tdp_W, double before_W) {
  auto prior = pole_priors(own, tdp_W);
  if (before_W >= 0.0) prior.pop_back();
  return fit_posterior(prior, drive.time_s, [&](std::span<const double> p, std::span<double> r) {
    const TwoPoles poles{p[0], p[1], p[2], p[3], p[4], 0.0, {}};
    const auto T = predict_die_K(poles, drive, before_W >= 0.0 ? before_W : p[5]);
    for (std::size_t i = 0; i < T.size(); ++i) r[i] = T[i] - drive.die_K[i];
  });
}

}  // namespace TIDEWATT_NAMESPACE::study
