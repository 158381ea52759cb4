#include "node_heat.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::thermal {

NodeHeat::NodeHeat(const PackageParams& package, const HbmBranchParams& hbm, const ServerAirParams& air,
                   std::size_t n_gpu, double air_J_per_m3_K, std::optional<LiquidCooling> liquid)
    : package_(package), hbm_(hbm), air_(air), n_gpu_(n_gpu), air_J_per_m3_K_(air_J_per_m3_K), liquid_(liquid) {
  if (!liquid_) return;
  const auto& plate = liquid_->plate;
  plate_K_per_W_ = cold_plate_K_per_W(plate, plate.flow_ref_kg_per_s);
  to_liquid_frac_ = thermal::to_liquid_frac(plate, plate.flow_ref_kg_per_s) * liquid_->capture.gpu_liquid_frac;
}

NodeHeatState NodeHeat::cold(double inlet_K) const {
  NodeHeatState s;
  s.store_K.assign(n_gpu_, {inlet_K, inlet_K, inlet_K, inlet_K});
  s.fan_frac = air_.fan_min_frac;
  s.front_W = 0.0;
  return s;
}

NodeHeatBooks NodeHeat::step(NodeHeatState& state, std::span<const double> die_W, std::span<const double> hbm_W,
                             std::span<const double> resistance_ratio, double inlet_K, double step_s) const {
  double hottest_K = 0.0;
  for (const auto& T : state.store_K) hottest_K = std::max(hottest_K, T[die_store]);
  const double target = fan_target_frac(air_, hottest_K);
  const double x = step_s / air_.fan_lag_s;
  const double fan_mean = target + (state.fan_frac - target) * math::mean_decay(x);
  state.fan_frac = target + (state.fan_frac - target) * math::exp(-x);

  const double coolant_K_per_W =
      liquid_ ? plate_K_per_W_ : sink_air_K_per_W(package_, sink_flow_ratio(package_, fan_mean, air_J_per_m3_K_));
  const auto modes = store_modes(hbm_network(package_, hbm_, coolant_K_per_W));
  const double rear_K = liquid_ ? inlet_K : inlet_K + rear_preheat_K(air_, state.front_W, fan_mean, air_J_per_m3_K_);
  NodeHeatBooks books{};
  double front_J = 0.0;
  for (std::size_t g = 0; g < n_gpu_; ++g) {
    const auto before = state.store_K[g];
    const std::array<double, 4> heat = {die_W[g], 0.0, 0.0, hbm_W[g]};
    const auto moved = advance(modes, state.store_K[g], heat, rear(g) ? rear_K : inlet_K, step_s, resistance_ratio[g]);
    const std::array<double, 4> capacity = {package_.die_J_per_K, package_.base_J_per_K, package_.sink_J_per_K,
                                            hbm_.hbm_J_per_K};
    for (std::size_t i = 0; i < 4; ++i)
      books.stored_J += capacity[i] / resistance_ratio[g] * (state.store_K[g][i] - before[i]);
    books.in_J += (die_W[g] + hbm_W[g]) * step_s;
    books.air_J += (1.0 - to_liquid_frac_) * moved.coolant_J, books.liquid_J += to_liquid_frac_ * moved.coolant_J;
    if (!rear(g)) front_J += moved.coolant_J;
  }
  state.front_W = front_J / step_s;
  return books;
}

}  // namespace TIDEWATT_NAMESPACE::thermal
