#include "leakage_gain.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::fleet {

double die_K_per_W(const NodeType& type, double fan_frac) {
  const auto& modes = type.modes[mode_step(type, fan_frac, 1.0)];
  return type.package.die_base_K_per_W + type.package.base_sink_K_per_W + 1.0 / modes.sink_air_W_per_K;
}

double leakage_loop_gain(const NodeType& type, double fan_frac) {
  constexpr double worst_chip = 2.0, hot_K = 353.15;
  const auto leakage = type.gpu.leakage();
  const double W_per_K = leakage.slope_W_per_K(leakage.ref_W) * leakage.temperature_factor(hot_K);
  const double K_per_W = die_K_per_W(type, std::max(type.air.fan_min_frac, fan_frac));
  return std::max(gentle_loop_gain, worst_chip * K_per_W * W_per_K);
}

}  // namespace TIDEWATT_NAMESPACE::fleet
