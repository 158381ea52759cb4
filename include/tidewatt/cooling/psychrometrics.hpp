#pragma once
#include "tidewatt/base/version.hpp"
#include "tidewatt/thermal/air.hpp"

/// Moist air as a mixture of ideal gases: small pure functions beside those of thermal/air.hpp. Temperatures in K, pressures in Pa, humidity ratio in
/// kg of water per kg of dry air, enthalpies in J per kg of dry air above dry air and liquid water at 0 °C.
/// Valid from -60 to 90 °C and 30 to 120 kPa; outside, the formulas extrapolate. Source: hyland_wexler_1983 for
/// saturation; constants of the ideal mixture below.
namespace TIDEWATT_NAMESPACE::cooling {

using thermal::dry_air_cp_J_per_kg_K;
using thermal::dry_air_density_kg_per_m3;
using thermal::moist_air_cp_J_per_kg_K;
using thermal::mole_mass_ratio;
using thermal::vapour_cp_J_per_kg_K;

inline constexpr double zero_celsius_K = 273.15;
inline constexpr double liquid_cp_J_per_kg_K = 4186.0;
inline constexpr double ice_cp_J_per_kg_K = 2100.0;
inline constexpr double vaporisation_J_per_kg = 2.501e6;   ///< at 0 °C
inline constexpr double ice_enthalpy_J_per_kg = -0.329e6;  ///< of ice at 0 °C against liquid at 0 °C

/// Vapour pressure at saturation, over ice below 0 °C and over water above (Hyland and Wexler 1983):
/// `ln p = a0/T + a1 + a2 T + a3 T² + a4 T³ + a5 T⁴ + a6 ln T`.
TIDEWATT_API double saturation_pressure_Pa(double drybulb_K);

/// `W = 0.621945 p_v / (p - p_v)`.
TIDEWATT_API double humidity_ratio_from_vapour_pressure(double vapour_Pa, double pressure_Pa);
/// The inverse: `p_v = p W/(0.621945 + W)`. @param humidity_ratio kg/kg, >= 0
TIDEWATT_API double vapour_pressure_Pa(double humidity_ratio, double pressure_Pa);

/// Humidity ratio, kg/kg, at saturation.
TIDEWATT_API double saturated_humidity_ratio(double drybulb_K, double pressure_Pa);
/// Humidity ratio, kg/kg, of air whose vapour saturates at `dewpoint_K`.
TIDEWATT_API double humidity_ratio_from_dew_point(double dewpoint_K, double pressure_Pa);
/// @param rh_frac relative humidity 0–1 against the phase of saturation_pressure_Pa
TIDEWATT_API double humidity_ratio_from_relative_humidity(double drybulb_K, double rh_frac, double pressure_Pa);

/// Humidity ratio that makes adiabatic saturation end at `wetbulb_K`:
/// `h(T, W) + (W_s - W) h_water(T_wb) = h(T_wb, W_s)`, with ice below 0 °C. May be negative where no such air exists.
TIDEWATT_API double humidity_ratio_from_wet_bulb(double drybulb_K, double wetbulb_K, double pressure_Pa);

/// Vapour pressure over that at saturation; above 1 in fog. @param humidity_ratio kg/kg
TIDEWATT_API double relative_humidity_frac(double drybulb_K, double humidity_ratio, double pressure_Pa);

/// Temperature at which vapour of this pressure saturates (Newton on ln p_sat). @param vapour_Pa 0.01 to 1e5
TIDEWATT_API double dew_point_K(double vapour_Pa);

/// Wet bulb of air at `drybulb_K` with `humidity_ratio`, by a bracketed Newton iteration to 1e-11 K; the dry bulb
/// itself where the air is saturated or foggy. Just around 0 °C both a wet and an icy bulb are possible: the wet one is
/// returned.
TIDEWATT_API double wet_bulb_K(double drybulb_K, double humidity_ratio, double pressure_Pa);

/// `h = c_pa t + W (L0 + c_pv t)`, t in °C.
TIDEWATT_API double enthalpy_J_per_kg(double drybulb_K, double humidity_ratio);

/// Standard atmosphere: `p = 101325 (1 - 2.25577e-5 z)^5.2559`. @param altitude_m -500 to 11,000
TIDEWATT_API double standard_pressure_Pa(double altitude_m);

}  // namespace TIDEWATT_NAMESPACE::cooling
