#pragma once
#include "tidewatt/base/version.hpp"

/// Density and heat capacity of moist air as a mixture of ideal gases, for plants, servers and packages alike. Temperatures in K, pressures
/// in Pa, humidity ratio in kg of water per kg of dry air. Valid from -60 to 90 °C and 30 to 120 kPa.
namespace TIDEWATT_NAMESPACE::thermal {

inline constexpr double dry_air_gas_J_per_kg_K = 287.042;  ///< R of dry air
inline constexpr double mole_mass_ratio = 0.621945;        ///< water to dry air
inline constexpr double dry_air_cp_J_per_kg_K = 1006.0;
inline constexpr double vapour_cp_J_per_kg_K = 1860.0;
inline constexpr double sea_level_Pa = 101325.0;

/// kg of dry air per m³ of moist air: `p / (R T (1 + W/0.621945))`.
constexpr double dry_air_density_kg_per_m3(double drybulb_K, double humidity_ratio, double pressure_Pa) {
  return pressure_Pa / (dry_air_gas_J_per_kg_K * drybulb_K * (1.0 + humidity_ratio / mole_mass_ratio));
}

/// Heat capacity of moist air per kg of dry air: `c_pa + W c_pv`, J/(kg K).
constexpr double moist_air_cp_J_per_kg_K(double humidity_ratio) {
  return dry_air_cp_J_per_kg_K + humidity_ratio * vapour_cp_J_per_kg_K;
}

/// Heat capacity of moist air by volume, J/(m³ K): what a server's fans move.
constexpr double air_J_per_m3_K(double drybulb_K, double humidity_ratio = 0.0, double pressure_Pa = sea_level_Pa) {
  return dry_air_density_kg_per_m3(drybulb_K, humidity_ratio, pressure_Pa) * moist_air_cp_J_per_kg_K(humidity_ratio);
}

}  // namespace TIDEWATT_NAMESPACE::thermal
