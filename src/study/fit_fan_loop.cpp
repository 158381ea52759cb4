#include "fit_fan_loop.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

FanLoop loop_of(std::span<const double> p) { return {p[0], p[1], p[2], p[3], p[4], p[5]}; }

double excess_K(const FanLoop& f, double power_W, double die_K) {
  const double x = std::clamp((die_K - f.fan_start_K) / (f.fan_full_K - f.fan_start_K), 0.0, 1.0);
  const double s = f.fan_min_frac + (1.0 - f.fan_min_frac) * x;
  return f.air_K + power_W * (f.fixed_K_per_W + f.sink_K_per_W * math::pow(s, -0.8)) - die_K;
}

}  // namespace

double rest_die_K(const FanLoop& f, double power_W) {
  const auto at_speed = [&](double s) {
    return f.air_K + power_W * (f.fixed_K_per_W + f.sink_K_per_W * math::pow(s, -0.8));
  };
  const double slowest_K = at_speed(f.fan_min_frac), fastest_K = at_speed(1.0);
  if (slowest_K <= f.fan_start_K) return slowest_K;
  if (fastest_K >= f.fan_full_K) return fastest_K;
  // The excess falls with T, as faster fans cool better: regula falsi that halves the weight of an end that stays.
  double lo = f.fan_start_K, hi = f.fan_full_K, above = excess_K(f, power_W, lo), below = excess_K(f, power_W, hi);
  int side = 0;
  for (int i = 0; i < 60; ++i) {
    const double T = (lo * below - hi * above) / (below - above), e = excess_K(f, power_W, T);
    if (std::abs(e) < 1e-10) return T;
    if (e > 0.0) {
      lo = T, above = e;
      if (side == 1) below *= 0.5;
      side = 1;
    } else {
      hi = T, below = e;
      if (side == -1) above *= 0.5;
      side = -1;
    }
  }
  return 0.5 * (lo + hi);
}

double rest_die_K(const FanLoop& f, const RestSample& s) {
  const double range_W = s.high_W - s.low_W;
  if (range_W < 1e-9) return rest_die_K(f, s.mean_W);
  const double high_frac = std::clamp((s.mean_W - s.low_W) / range_W, 0.0, 1.0);
  return (1.0 - high_frac) * rest_die_K(f, s.low_W) + high_frac * rest_die_K(f, s.high_W);
}

FanLoopFit fit_fan_loop(const std::vector<RestSample>& samples) {
  const std::vector<FitParameter> list = {{"air_K", 297, 288, 320},           {"fixed_K_per_W", 0.03, 0.01, 0.2},
                                          {"sink_K_per_W", 0.03, 0.003, 0.3}, {"fan_min_frac", 0.3, 0.1, 0.9},
                                          {"fan_start_K", 310, 290, 342},     {"fan_full_K", 358, 343, 383}};
  FanLoopFit out;
  out.fit = least_squares(list, samples.size(), [&](std::span<const double> p, std::span<double> r) {
    const FanLoop loop = loop_of(p);
    for (std::size_t i = 0; i < samples.size(); ++i) r[i] = rest_die_K(loop, samples[i]) - samples[i].die_K;
  });
  std::vector<double> p;
  for (const auto& v : out.fit.values) p.push_back(v.value);
  out.loop = loop_of(p);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
