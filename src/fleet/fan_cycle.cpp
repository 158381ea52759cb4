#include "fan_cycle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// Stores of one package over its air, per unit of its resistance ratio.
using Stores = std::array<double, thermal::n_mode>;

Stores settled(const thermal::PackageModes& m, double W) {
  Stores x{};
  for (std::size_t j = 0; j < thermal::n_mode; ++j)
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += m.shape[k][j] * m.gain_K_per_J[j] * W / m.rate_per_s[j];
  return x;
}

/// @param left [mode] e^{−rate · time}
TIDEWATT_INLINE void step(const thermal::PackageModes& m, double W, const Stores& left, Stores& x) {
  Stores after{};
  for (std::size_t j = 0; j < thermal::n_mode; ++j) {
    double z = m.inverse[j][0] * x[0] + m.inverse[j][1] * x[1] + m.inverse[j][2] * x[2];
    const double end = m.gain_K_per_J[j] * W / m.rate_per_s[j];
    z = end + (z - end) * left[j];
    for (std::size_t k = 0; k < x.size(); ++k) after[k] += m.shape[k][j] * z;
  }
  x = after;
}

/// Packages of one server, and the air between its two rows.
struct Server {
  const NodeType& type;
  std::span<const double> gpu_W, r;
  double inlet_K, air_J_per_m3_K;
  std::vector<Stores> store;    // [gpu] over their air / r
  std::vector<double> air_K{};  // [gpu]

  bool rear(std::size_t g) const { return g >= gpu_W.size() / 2; }
  const thermal::PackageModes& modes(double frac) const { return type.modes[fan_step(frac)]; }
  double front_W(double frac) const {
    double W = 0.0;
    for (std::size_t g = 0; g < gpu_W.size(); ++g)
      if (!rear(g)) W += modes(frac).sink_air_W_per_K * store[g][2];
    return W;
  }
  /// Air of all packages at this speed; their temperatures stay.
  void blow(double frac) {
    const double rear_K = inlet_K + thermal::rear_preheat_K(type.air, front_W(frac), frac, air_J_per_m3_K);
    for (std::size_t g = 0; g < gpu_W.size(); ++g) {
      const double now_K = rear(g) ? rear_K : inlet_K, moved = (air_K[g] - now_K) / r[g];
      for (double& x : store[g]) x += moved;
      air_K[g] = now_K;
    }
  }
  double hottest_K() const {
    double out = 0.0;
    for (std::size_t g = 0; g < gpu_W.size(); ++g) out = std::max(out, air_K[g] + r[g] * store[g][0]);
    return out;
  }
};

Server at_rest(const NodeType& type, std::span<const double> gpu_W, std::span<const double> r, double inlet_K,
               double air_J_per_m3_K, double frac) {
  Server s{type, gpu_W, r, inlet_K, air_J_per_m3_K, {}};
  for (const double W : gpu_W) s.store.push_back(settled(s.modes(frac), W));
  const double rear_K = inlet_K + thermal::rear_preheat_K(type.air, s.front_W(frac), frac, air_J_per_m3_K);
  for (std::size_t g = 0; g < gpu_W.size(); ++g) s.air_K.push_back(s.rear(g) ? rear_K : inlet_K);
  return s;
}

}  // namespace

double hottest_at_K(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                    double inlet_K, double air_J_per_m3_K, double fan_frac) {
  return at_rest(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, fan_frac).hottest_K();
}

TIDEWATT_CLONES
FanCycle fan_cycle(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s) {
  const FanStairs& stairs = *type.stairs;
  thermal::FanController controller(stairs.controller(), start_frac);
  Server server = at_rest(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, start_frac);
  std::vector<double> reading_K = cold_readings_K(stairs, inlet_K);
  if (!std::isnan(accepted_K)) {
    reading_K[stairs.die_group()] = accepted_K;
    controller.sample(reading_K);
  }
  FanCycle out;
  const double sample_s = controller.params().sample_s;
  const auto n = static_cast<std::size_t>(duration_s / sample_s);
  double rise_s = 0.0, first_s = 0.0, before_frac = start_frac, low_K = 1e9, high_K = 0.0;
  std::size_t n_rise = 0;
  bool falling = true;
  out.low_frac = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    reading_K[stairs.die_group()] = shown_K(server.hottest_K());
    const double frac = std::max(controller.sample(reading_K), type.air.fan_min_frac);
    server.blow(frac);
    const auto& modes = server.modes(frac);
    Stores left;
    for (std::size_t j = 0; j < left.size(); ++j) left[j] = math::exp(-modes.rate_per_s[j] * sample_s);
    for (std::size_t g = 0; g < gpu_W.size(); ++g) step(modes, gpu_W[g], left, server.store[g]);
    const double at_s = static_cast<double>(i) * sample_s;
    if (i < n / 2) {
      before_frac = frac;
      continue;
    }
    if (frac > before_frac + 1e-9 && std::exchange(falling, false)) {
      if (n_rise++ == 0) first_s = at_s;
      rise_s = at_s;
    }
    falling = falling || frac < before_frac - 1e-9;
    before_frac = frac;
    const double die_K = server.hottest_K();
    out.time_s.push_back(at_s - static_cast<double>(n / 2) * sample_s);
    out.fan_frac.push_back(frac), out.die_K.push_back(die_K);
    low_K = std::min(low_K, die_K), high_K = std::max(high_K, die_K);
    out.low_frac = std::min(out.low_frac, frac), out.high_frac = std::max(out.high_frac, frac);
    out.mean_K += die_K, out.mean_frac += frac;
  }
  const auto seen = static_cast<double>(out.time_s.size());
  out.mean_K /= seen, out.mean_frac /= seen;
  if (n_rise > 1) out.period_s = (rise_s - first_s) / static_cast<double>(n_rise - 1);
  out.amplitude_K = high_K - low_K;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
