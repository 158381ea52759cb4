#pragma once
#include <cstddef>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// Air path and fan control of a server whose GPUs are in two rows, one behind the other.
struct TIDEWATT_API ServerAirParams {
  double flow_m3_per_s;         ///< whole server at full fan speed, standard air
  double gpu_flow_frac;         ///< fraction that passes the GPU sinks
  double preheat_mixing_ratio;  ///< fraction of the front row's heat in the rear row's inlet air
  double fan_min_frac;          ///< lowest speed
  double fan_start_K;           ///< hottest die at which the fans leave their lowest speed, K
  double fan_full_K;            ///< hottest die at which they run at full speed, K
  double fan_lag_s;             ///< first-order lag of the controller
  double inlet_max_K = 0.0;     ///< warmest air at which the server may start, K; 0: not known
  void fields(FieldVisitor& v);
};

/// GPUs of the front row: slots before it breathe the inlet air, those from it on the air that the front row warmed.
/// @param n_gpu of the server, even
constexpr std::size_t n_front_row(std::size_t n_gpu) { return n_gpu / 2; }
/// Whether a slot is in the rear row of its server's air. @param n_gpu of the server
constexpr bool in_rear_row(std::size_t slot, std::size_t n_gpu) { return slot >= n_front_row(n_gpu); }

/// Target fan speed for the hottest die of the node: linear between start and full.
inline double fan_target_frac(const ServerAirParams& p, double hottest_K) {
  const double x = (hottest_K - p.fan_start_K) / (p.fan_full_K - p.fan_start_K);
  const double above = x < 0.0 ? 0.0 : x, bounded = above > 1.0 ? 1.0 : above;
  return p.fan_min_frac + (1.0 - p.fan_min_frac) * bounded;
}

/// Power of fans ÷ that at the same speed in air of the reference density: P ∝ ρ n³.
inline double fan_density_ratio(double air_J_per_m3_K) { return air_J_per_m3_K / reference_air_J_per_m3_K; }

/// Temperature rise of the air that reaches the rear GPU row: ΔT = m Q_front / (ρ c_p V̇), K.
/// @param front_W heat that the front row's sinks give to the air
inline double rear_preheat_K(const ServerAirParams& p, double front_W, double fan_frac, double air_J_per_m3_K) {
  return p.preheat_mixing_ratio * front_W / (air_J_per_m3_K * p.flow_m3_per_s * p.gpu_flow_frac * fan_frac);
}

}  // namespace TIDEWATT_NAMESPACE::thermal
