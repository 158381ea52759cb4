#pragma once
#include <array>
#include <cstdint>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// Air of 25 °C at 1,013 hPa: what servers' fans and sinks are rated in where nothing else is known.
inline constexpr double reference_air_kg_per_m3 = 1.184;
inline constexpr double air_cp_J_per_kg_K = 1005.0;
inline constexpr double reference_air_J_per_m3_K = reference_air_kg_per_m3 * air_cp_J_per_kg_K;

/// Package as a chain of three heat stores: die – lid and sink base – sink – air.
struct TIDEWATT_API PackageParams {
  double die_J_per_K;                ///< heat capacity of the die
  double base_J_per_K;               ///< heat capacity of lid and sink base
  double sink_J_per_K;               ///< heat capacity of the sink
  double die_base_K_per_W;           ///< die to lid and sink base
  double base_sink_K_per_W;          ///< spreading into the sink
  double sink_air_K_per_W;           ///< convection at full fan speed
  double convection_exponent_ratio;  ///< sink_air ∝ flow_ratio^-exponent, see sink_flow_ratio
  /// Density of the air in which sink_air_K_per_W holds; no effect behind a cold plate.
  double air_density_ref_kg_per_m3 = reference_air_kg_per_m3;
  void fields(FieldVisitor& v);
};

inline constexpr std::size_t n_mode = 3;

/// The chain at one fan speed, in its own modes, for a package of nominal resistance:
///
///     C_i dT_i/dt = Σ_j G_ij (T_j − T_i) + P δ_i,die      T_i − T_air = r Σ_k shape[i][k] z_k
///     dz_k/dt = −rate_k z_k + gain_k P
///
/// r is the package's resistance ratio; its capacities are divided by r, so that the time constants stay.
struct TIDEWATT_API PackageModes {
  std::array<double, n_mode> rate_per_s;  ///< slowest first
  std::array<double, n_mode> gain_K_per_J;
  std::array<std::array<double, n_mode>, 3> shape;    ///< [store: die, base, sink][mode]
  std::array<std::array<double, n_mode>, 3> inverse;  ///< [mode][store]
  double sink_air_W_per_K;                            ///< of the nominal package
  std::array<double, n_mode> per_rate_s;              ///< 1/rate
  std::array<double, n_mode> uniform;                 ///< [mode] of all stores at 1 K: Σ inverse
  double steady_K_per_W;  ///< of the die at rest over the air, Σ_k shape[die][k] gain_k/rate_k
  double die_air_lag_s;   ///< of the die behind air that moves evenly, Σ_k shape[die][k] uniform_k/rate_k
};

/// Mass flow past a sink ÷ that at full fan speed in air of the reference density:
///
///     m = n ρ/ρ_ref,   h ∝ Re^x ∝ (ρ V̇)^x,   sink_air(m) = sink_air m^-x
///
/// A fan moves the same volume at any density, so speed n and density ρ act alike. ρ is taken from the heat capacity by volume:
/// between dry and saturated air of 35 °C, heat capacity by mass differs by 3 %, and m^x by 2 %.
/// @param fan_frac speed ÷ full speed, 0–1  @param air_J_per_m3_K heat capacity of the inlet air by volume, 300–2,000
inline double sink_flow_ratio(const PackageParams& p, double fan_frac, double air_J_per_m3_K) {
  return fan_frac * air_J_per_m3_K / (p.air_density_ref_kg_per_m3 * air_cp_J_per_kg_K);
}

/// @param flow_ratio as from sink_flow_ratio, 0.0002–1.5; fan speed ÷ full speed in air of the reference density
TIDEWATT_API PackageModes package_modes(const PackageParams& p, double flow_ratio);

}  // namespace TIDEWATT_NAMESPACE::thermal
