#include "tidewatt/cooling/psychrometrics.hpp"

#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

struct Saturation {
  double inverse, constant, linear, square, cube, fourth, log;
};
// Hyland and Wexler 1983, equations 17 (water) and 18 (ice); T in K, p in Pa.
constexpr Saturation over_water{-5.8002206e3, 1.3914993, -4.8640239e-2, 4.1764768e-5, -1.4452093e-8, 0.0, 6.5459673};
constexpr Saturation over_ice{-5.6745359e3, 6.3925247,      -9.6778430e-3, 6.2215701e-7,
                              2.0747825e-9, -9.4840240e-13, 4.1635019};

const Saturation& phase(double T) { return T < zero_celsius_K ? over_ice : over_water; }

TIDEWATT_INLINE double log_saturation(const Saturation& c, double T) {
  return c.inverse / T + c.constant + T * (c.linear + T * (c.square + T * (c.cube + T * c.fourth))) +
         c.log * math::log(T);
}

double log_saturation_slope(const Saturation& c, double T) {
  return -c.inverse / (T * T) + c.linear + T * (2.0 * c.square + T * (3.0 * c.cube + T * 4.0 * c.fourth)) + c.log / T;
}

// Enthalpy of the water that feeds the wick.
double wick_enthalpy(bool ice, double t_degC) {
  return ice ? ice_enthalpy_J_per_kg + ice_cp_J_per_kg_K * t_degC : liquid_cp_J_per_kg_K * t_degC;
}

TIDEWATT_INLINE double ratio_from_wet_bulb(double T, double Twb, double p, bool ice) {
  const double t = T - zero_celsius_K, twb = Twb - zero_celsius_K;
  const double saturated =
      humidity_ratio_from_vapour_pressure(math::exp(log_saturation(ice ? over_ice : over_water, Twb)), p);
  const double wick = wick_enthalpy(ice, twb);
  const double gained = saturated * (vaporisation_J_per_kg + vapour_cp_J_per_kg_K * twb - wick);
  return (gained - dry_air_cp_J_per_kg_K * (T - Twb)) / (vaporisation_J_per_kg + vapour_cp_J_per_kg_K * t - wick);
}

// One phase's wet bulb in (lo, hi): W(T_wb) rises monotonically there.
TIDEWATT_CLONES
double solve_wet_bulb(double T, double W, double p, bool ice, double lo, double hi) {
  double x = 0.5 * (lo + hi);
  for (int i = 0; i < 80 && hi - lo > 1e-11; ++i) {
    const double f = ratio_from_wet_bulb(T, x, p, ice) - W;
    (f > 0.0 ? hi : lo) = x;
    if (f == 0.0) return x;
    // dW/dT_wb without the small change of the wick's enthalpy: good enough to converge in a few turns.
    const Saturation& c = ice ? over_ice : over_water;
    const double pv = math::exp(log_saturation(c, x));
    const double slope = mole_mass_ratio * p / ((p - pv) * (p - pv)) * pv * log_saturation_slope(c, x) +
                         dry_air_cp_J_per_kg_K / vaporisation_J_per_kg;
    double next = x - f / slope;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (std::abs(next - x) < 1e-11) return next;
    x = next;
  }
  return x;
}

}  // namespace

TIDEWATT_CLONES
double saturation_pressure_Pa(double drybulb_K) { return math::exp(log_saturation(phase(drybulb_K), drybulb_K)); }

double humidity_ratio_from_vapour_pressure(double vapour_Pa, double pressure_Pa) {
  return mole_mass_ratio * vapour_Pa / (pressure_Pa - vapour_Pa);
}

double vapour_pressure_Pa(double humidity_ratio, double pressure_Pa) {
  return pressure_Pa * humidity_ratio / (mole_mass_ratio + humidity_ratio);
}

double saturated_humidity_ratio(double drybulb_K, double pressure_Pa) {
  return humidity_ratio_from_vapour_pressure(saturation_pressure_Pa(drybulb_K), pressure_Pa);
}

double humidity_ratio_from_dew_point(double dewpoint_K, double pressure_Pa) {
  return saturated_humidity_ratio(dewpoint_K, pressure_Pa);
}

double humidity_ratio_from_relative_humidity(double drybulb_K, double rh_frac, double pressure_Pa) {
  return humidity_ratio_from_vapour_pressure(rh_frac * saturation_pressure_Pa(drybulb_K), pressure_Pa);
}

TIDEWATT_CLONES
double humidity_ratio_from_wet_bulb(double drybulb_K, double wetbulb_K, double pressure_Pa) {
  return ratio_from_wet_bulb(drybulb_K, wetbulb_K, pressure_Pa, wetbulb_K < zero_celsius_K);
}

double relative_humidity_frac(double drybulb_K, double humidity_ratio, double pressure_Pa) {
  return vapour_pressure_Pa(humidity_ratio, pressure_Pa) / saturation_pressure_Pa(drybulb_K);
}

TIDEWATT_CLONES
double dew_point_K(double vapour_Pa) {
  const double target = math::log(vapour_Pa);
  const Saturation& c = vapour_Pa < saturation_pressure_Pa(zero_celsius_K) ? over_ice : over_water;
  double T = 280.0;
  for (int i = 0; i < 50; ++i) {
    // ln p is nearly linear in 1/T: Newton in that variable converges from anywhere in the range.
    const double step = (log_saturation(c, T) - target) / (log_saturation_slope(c, T) * T * T);
    const double next = 1.0 / (1.0 / T + step);
    if (std::abs(next - T) < 1e-11) return next;
    T = next;
  }
  return T;
}

TIDEWATT_CLONES
double wet_bulb_K(double drybulb_K, double humidity_ratio, double pressure_Pa) {
  if (humidity_ratio >= saturated_humidity_ratio(drybulb_K, pressure_Pa)) return drybulb_K;
  const bool warm = drybulb_K > zero_celsius_K &&
                    humidity_ratio >= ratio_from_wet_bulb(drybulb_K, zero_celsius_K, pressure_Pa, false);
  if (warm) return solve_wet_bulb(drybulb_K, humidity_ratio, pressure_Pa, false, zero_celsius_K, drybulb_K);
  const double top = drybulb_K < zero_celsius_K ? drybulb_K : zero_celsius_K;
  return solve_wet_bulb(drybulb_K, humidity_ratio, pressure_Pa, true, top - 60.0, top);
}

double enthalpy_J_per_kg(double drybulb_K, double humidity_ratio) {
  const double t = drybulb_K - zero_celsius_K;
  return dry_air_cp_J_per_kg_K * t + humidity_ratio * (vaporisation_J_per_kg + vapour_cp_J_per_kg_K * t);
}

double standard_pressure_Pa(double altitude_m) {
  return thermal::sea_level_Pa * math::pow(1.0 - 2.25577e-5 * altitude_m, 5.2559);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
