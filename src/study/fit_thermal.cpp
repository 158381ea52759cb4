#include "fit_thermal.hpp"

#include <algorithm>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

struct Pole {
  double K_per_W, tau_s, rise_K;
  double push(double step_s, double power_W) {
    const double goal = K_per_W * power_W;
    rise_K = goal + (rise_K - goal) * math::exp(-step_s / tau_s);
    return rise_K;
  }
};

void check(const ThermalRecord& r) {
  if (r.power_W.size() != r.size() || r.die_K.size() != r.size())
    throw InputError("telemetry: times, powers and temperatures need the same length");
  for (std::size_t i = 1; i < r.size(); ++i)
    if (!(r.time_s[i] > r.time_s[i - 1])) throw InputError("telemetry: times must ascend");
}

}  // namespace

std::vector<double> predict_die_K(const TwoPoles& p, const ThermalRecord& record, double before_W) {
  Pole fast{p.fast_K_per_W, p.fast_s, p.fast_K_per_W * before_W},
      slow{p.slow_K_per_W, p.slow_s, p.slow_K_per_W * before_W};
  std::vector<double> out;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const double step_s = i ? record.time_s[i] - record.time_s[i - 1] : 0.0;
    out.push_back(p.ambient_K + fast.push(step_s, record.power_W[i]) + slow.push(step_s, record.power_W[i]));
  }
  return out;
}

TwoPoles fit_step(const ThermalRecord& record, double before_W) {
  check(record);
  const auto poles_of = [](std::span<const double> p) {
    return TwoPoles{p[0], p[1], p[2], p[1] * p[3], p[4], 0.0, {}};
  };
  const double coldest_K = record.die_K.empty() ? 300.0 : *std::min_element(record.die_K.begin(), record.die_K.end());
  // The slow time constant is a multiple of the fast one, so that the two cannot change places.
  const std::vector<FitParameter> list = {{"fast_K_per_W", 0.03, 1e-3, 0.3},
                                          {"fast_s", 2.0, 0.2, 15.0},
                                          {"slow_K_per_W", 0.03, 1e-3, 0.5},
                                          {"slow_over_fast_ratio", 20.0, 3.0, 200.0},
                                          {"ambient_K", coldest_K - 5.0, coldest_K - 80.0, coldest_K + 40.0}};
  const auto fit = least_squares(list, record.size(), [&](std::span<const double> p, std::span<double> r) {
    const auto T = predict_die_K(poles_of(p), record, before_W);
    for (std::size_t i = 0; i < T.size(); ++i) r[i] = T[i] - record.die_K[i];
  });
  std::vector<double> p;
  for (const auto& v : fit.values) p.push_back(v.value);
  TwoPoles out = poles_of(p);
  out.rms_K = fit.rms;
  out.fit = fit;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
