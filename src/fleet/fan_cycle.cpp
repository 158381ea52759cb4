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

/// Packages of one server, and the air between its two rows. GPUs side by side.
class Server {
 public:
  /// At rest at this speed.
  Server(const NodeType& type, std::span<const double> gpu_W, std::span<const double> r, double inlet_K,
         double air_J_per_m3_K, double frac)
      : type_(type),
        gpu_W_(gpu_W),
        r_(r),
        inlet_K_(inlet_K),
        air_J_per_m3_K_(air_J_per_m3_K),
        modes_(&type.modes[fan_step(frac)]),
        air_K_(gpu_W.size()) {
    for (auto& of_store : store_K_) of_store.assign(gpu_W.size(), 0.0);
    for (auto& of_mode : settled_K_) of_mode.resize(gpu_W.size());
    const auto& m = *modes_;
    for (std::size_t j = 0; j < thermal::n_mode; ++j)
      for (std::size_t k = 0; k < store_K_.size(); ++k)
        for (std::size_t g = 0; g < gpu_W.size(); ++g)
          store_K_[k][g] += m.shape[k][j] * m.gain_K_per_J[j] * gpu_W[g] / m.rate_per_s[j];
    const double rear_K = rear_air_K(frac);
    for (std::size_t g = 0; g < gpu_W.size(); ++g) air_K_[g] = rear(g) ? rear_K : inlet_K;
  }
  /// A sample at this speed.
  TIDEWATT_INLINE void step(double frac, double sample_s) {
    if (const auto* modes = &type_.modes[fan_step(frac)]; modes != modes_ || sample_s != sample_s_) {
      modes_ = modes, sample_s_ = sample_s;
      for (std::size_t j = 0; j < left_.size(); ++j) {
        left_[j] = math::exp(-modes->rate_per_s[j] * sample_s);
        for (std::size_t g = 0; g < gpu_W_.size(); ++g)
          settled_K_[j][g] = modes->gain_K_per_J[j] * gpu_W_[g] / modes->rate_per_s[j];
      }
    }
    blow(frac);
    double *die_K = store_K_[0].data(), *base_K = store_K_[1].data(), *sink_K = store_K_[2].data();
    const auto &inverse = modes_->inverse, &shape = modes_->shape;
    const double *end0 = settled_K_[0].data(), *end1 = settled_K_[1].data(), *end2 = settled_K_[2].data();
    const double left0 = left_[0], left1 = left_[1], left2 = left_[2];
    const std::size_t n = gpu_W_.size();
    TIDEWATT_LANE_LOOP
    for (std::size_t g = 0; g < n; ++g) {
      const double x0 = die_K[g], x1 = base_K[g], x2 = sink_K[g];
      double z0 = inverse[0][0] * x0 + inverse[0][1] * x1 + inverse[0][2] * x2;
      double z1 = inverse[1][0] * x0 + inverse[1][1] * x1 + inverse[1][2] * x2;
      double z2 = inverse[2][0] * x0 + inverse[2][1] * x1 + inverse[2][2] * x2;
      z0 = end0[g] + (z0 - end0[g]) * left0;
      z1 = end1[g] + (z1 - end1[g]) * left1;
      z2 = end2[g] + (z2 - end2[g]) * left2;
      die_K[g] = shape[0][0] * z0 + shape[0][1] * z1 + shape[0][2] * z2;
      base_K[g] = shape[1][0] * z0 + shape[1][1] * z1 + shape[1][2] * z2;
      sink_K[g] = shape[2][0] * z0 + shape[2][1] * z1 + shape[2][2] * z2;
    }
  }
  TIDEWATT_INLINE double hottest_K() const {
    double out = 0.0;
    for (std::size_t g = 0; g < gpu_W_.size(); ++g) out = std::max(out, air_K_[g] + r_[g] * store_K_[0][g]);
    return out;
  }

 private:
  bool rear(std::size_t g) const { return g >= gpu_W_.size() / 2; }
  TIDEWATT_INLINE double rear_air_K(double frac) const {
    double front_W = 0.0;
    for (std::size_t g = 0; g < gpu_W_.size(); ++g)
      if (!rear(g)) front_W += modes_->sink_air_W_per_K * store_K_[2][g];
    return inlet_K_ + thermal::rear_preheat_K(type_.air, front_W, frac, air_J_per_m3_K_);
  }
  /// Air of all packages at this speed; their temperatures stay.
  TIDEWATT_INLINE void blow(double frac) {
    const double rear_K = rear_air_K(frac);
    for (std::size_t g = gpu_W_.size() / 2; g < gpu_W_.size(); ++g) {
      const double moved = (air_K_[g] - rear_K) / r_[g];
      for (auto& of_store : store_K_) of_store[g] += moved;
      air_K_[g] = rear_K;
    }
  }

  const NodeType& type_;
  std::span<const double> gpu_W_, r_;
  double inlet_K_, air_J_per_m3_K_;
  const thermal::PackageModes* modes_;
  double sample_s_ = 0.0;                                       ///< that `left_` is for
  std::array<double, thermal::n_mode> left_{};                  ///< [mode] e^{−rate · time}
  std::array<std::vector<double>, thermal::n_mode> settled_K_;  ///< [mode][GPU] where it goes
  std::array<std::vector<double>, thermal::n_mode> store_K_;    ///< [store][GPU] over its air / r
  std::vector<double> air_K_;                                   ///< [GPU]
};

}  // namespace

double hottest_at_K(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                    double inlet_K, double air_J_per_m3_K, double fan_frac) {
  return Server(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, fan_frac).hottest_K();
}

TIDEWATT_CLONES
FanCycle fan_cycle(const NodeType& type, std::span<const double> gpu_W, std::span<const double> resistance_ratio,
                   double inlet_K, double air_J_per_m3_K, double start_frac, double accepted_K, double duration_s) {
  const FanStairs& stairs = *type.stairs;
  thermal::FanController controller(stairs.controller(), start_frac);
  Server server(type, gpu_W, resistance_ratio, inlet_K, air_J_per_m3_K, start_frac);
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
  for (auto* series : {&out.time_s, &out.fan_frac, &out.die_K}) series->reserve(n - n / 2);
  for (std::size_t i = 0; i < n; ++i) {
    reading_K[stairs.die_group()] = shown_K(server.hottest_K());
    const double frac = std::max(controller.sample(reading_K), type.air.fan_min_frac);
    server.step(frac, sample_s);
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
