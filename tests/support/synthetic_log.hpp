#pragma once
// A synthetic telemetry log of one GPU: truths drawn from the prior, a meter's window, noise, drift and whole kelvins.
#include <cmath>

#include "base/random.hpp"
#include "study/fit_poles.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct SyntheticLog {
  GpuTelemetry telemetry;
  std::vector<double> truth;  ///< of pole_priors, [parameter]
};

struct SyntheticMeter {
  double window_s, sample_s;
  bool counter;
};

/// 15 min of loads of random level and length, power in steps of 0.1 s behind a trailing mean; temperature with 0.2 K of independent
/// noise, 0.4 K of drift that is forgotten within 2 min, in whole kelvins.
inline SyntheticLog synthetic_log(const TwoPoles& own, const SyntheticMeter& meter, std::uint64_t seed) {
  const auto normal = [&](std::uint64_t what, std::uint64_t i = 0) {
    return random::normal(seed, random::Purpose::jitter, what, i);
  };
  const auto uniform = [&](std::uint64_t what, std::uint64_t i = 0) {
    return random::uniform(seed, random::Purpose::jitter, what, i);
  };
  SyntheticLog log;
  const auto prior = pole_priors(own, 700.0);
  for (std::size_t i = 0; i < prior.size(); ++i) log.truth.push_back(prior_value(prior[i], normal(100 + i)));
  const auto& x = log.truth;
  constexpr double step_s = 0.1;
  constexpr int n = 9000;
  std::vector<double> power_W, energy_J = {0.0};
  for (std::uint64_t block = 0; power_W.size() < n; ++block) {
    const double level_W = 80.0 + 620.0 * uniform(1, block);
    const auto length = static_cast<int>(20.0 * std::pow(30.0, uniform(2, block)));  // 2 to 60 s
    for (int i = 0; i < length; ++i) power_W.push_back(level_W * (1.0 + 0.01 * normal(3, power_W.size())));
  }
  double fast_K = x[0] * x[5], slow_K = x[2] * x[5], drift_K = 0.4 * normal(4), last_s = 0.0;
  auto& t = log.telemetry;
  t.gpu = "0";
  for (int i = 0; i < n; ++i) {
    const double P = power_W[static_cast<std::size_t>(i)], at_s = step_s * (i + 1), kept = std::exp(-step_s / 120.0);
    energy_J.push_back(energy_J.back() + P * step_s);
    fast_K = x[0] * P + (fast_K - x[0] * P) * std::exp(-step_s / x[1]);
    slow_K = x[2] * P + (slow_K - x[2] * P) * std::exp(-step_s / x[3]);
    drift_K = kept * drift_K + 0.4 * std::sqrt(1.0 - kept * kept) * normal(5, static_cast<std::uint64_t>(i));
    if (at_s - last_s < meter.sample_s - 1e-6) continue;
    last_s = at_s;
    const int back = std::min(i + 1, static_cast<int>(std::lround(meter.window_s / step_s)));
    const auto now = static_cast<std::size_t>(i + 1);
    t.record.time_s.push_back(at_s);
    t.record.power_W.push_back((energy_J[now] - energy_J[now - static_cast<std::size_t>(back)]) / (back * step_s));
    t.record.die_K.push_back(
        std::round(x[4] + fast_K + slow_K + drift_K + 0.2 * normal(6, static_cast<std::uint64_t>(i)) - 0.15) + 0.15);
    if (meter.counter) t.energy_J.push_back(energy_J[now]);
  }
  return log;
}

}  // namespace TIDEWATT_NAMESPACE::study
