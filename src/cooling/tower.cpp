#include "tidewatt/cooling/tower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heat_exchanger.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

constexpr double reference_pressure_Pa = 101325.0;

double saturated_enthalpy(double T, double pressure_Pa) {
  return enthalpy_J_per_kg(T, saturated_humidity_ratio(T, pressure_Pa));
}

// Heat capacity of the gas whose temperature is the wet bulb.
double equivalent_cp(double in_K, double out_K, double in_enthalpy, double pressure_Pa) {
  // Closer than 0.1 K the quotient would be rounding; the chord over 0.1 K is the tangent to 0.3 %.
  const double rise_K = std::max(out_K - in_K, 0.1);
  return (saturated_enthalpy(in_K + rise_K, pressure_Pa) - in_enthalpy) / rise_K;
}

double quadratic(const std::vector<double>& c, double x) { return c[0] + x * (c[1] + x * c[2]); }

double fan_air_frac(const TowerParams& p, double speed) {
  // From free convection to the fan over the lower half of its floor, so that the flow is continuous in speed.
  const double lo = 0.5 * p.fan_floor_frac;
  if (speed >= p.fan_floor_frac) return std::max(speed, p.free_convection_frac);
  const double s = std::clamp((speed - lo) / lo, 0.0, 1.0);
  const double floor = std::max(p.fan_floor_frac, p.free_convection_frac);
  return p.free_convection_frac + s * (floor - p.free_convection_frac);
}

}  // namespace

void TowerParams::fields(FieldVisitor& v) {
  v.number("tower_water_kg_per_s", water_kg_per_s, {1e-6, 1e6}, "water flow at design, all cells");
  v.number("tower_water_air_ratio", water_air_ratio, {0.2, 5}, "kg of water per kg of dry air at design");
  v.number("tower_wetbulb_degC", wetbulb_K, {0, 40}, "entering wet bulb at design");
  v.number("tower_water_in_degC", water_in_K, {5, 70}, "entering water at design");
  v.number("tower_water_out_degC", water_out_K, {2, 60}, "leaving water at design");
  v.number("tower_free_convection_frac", free_convection_frac, {0.01, 0.5}, "air flow with the fans off, of design");
  v.number("tower_fan_kW", fan_W, {0, 1e6}, "fans of all cells at full speed");
  v.number("tower_fan_exponent_ratio", fan_exponent_ratio, {1.5, 3.2}, "x in fan power proportional to speed^x");
  v.number("tower_fan_floor_frac", fan_floor_frac, {0.05, 0.9}, "lowest speed of a running fan");
  v.numbers("tower_ua_wetbulb_ratio", ua_wetbulb_ratio, {-10, 10}, "UA against design minus present wet bulb in K");
  v.numbers("tower_ua_air_ratio", ua_air_ratio, {-10, 10}, "UA against air flow over design");
  v.numbers("tower_ua_water_ratio", ua_water_ratio, {-10, 10}, "UA against water flow over design");
}

Tower::Tower(TowerParams params) : p_(std::move(params)) {
  if (p_.ua_wetbulb_ratio.size() != 3 || p_.ua_air_ratio.size() != 3 || p_.ua_water_ratio.size() != 3)
    throw InputError("cooling tower: each of the three UA curves has three values");
  if (!(p_.water_in_K > p_.water_out_K && p_.water_out_K > p_.wetbulb_K))
    throw InputError("cooling tower: design water must fall and stay above the wet bulb");
  air_kg_per_s_ = p_.water_kg_per_s / p_.water_air_ratio;
  const double C_water = p_.water_kg_per_s * liquid_cp_J_per_kg_K;
  const double heat_W = C_water * (p_.water_in_K - p_.water_out_K);
  // Leaving air carries the heat: h_s(T_wb,out) = h_s(T_wb) + Q/G.
  const double in_enthalpy = saturated_enthalpy(p_.wetbulb_K, reference_pressure_Pa);
  double lo = p_.wetbulb_K, hi = p_.wetbulb_K + 60.0;
  for (int i = 0; i < 60; ++i) {
    const double T = 0.5 * (lo + hi);
    (saturated_enthalpy(T, reference_pressure_Pa) - in_enthalpy > heat_W / air_kg_per_s_ ? hi : lo) = T;
  }
  const double c_e = equivalent_cp(p_.wetbulb_K, lo, in_enthalpy, reference_pressure_Pa);
  UA_W_per_K_ = counterflow_UA_W_per_K(heat_W, C_water, air_kg_per_s_ * c_e, p_.water_in_K - p_.wetbulb_K) *
                dry_air_cp_J_per_kg_K / c_e;
}

TowerAir Tower::air(double wetbulb_K, double humidity_ratio, double pressure_Pa) const {
  return {wetbulb_K, humidity_ratio, pressure_Pa, saturated_enthalpy(wetbulb_K, pressure_Pa),
          quadratic(p_.ua_wetbulb_ratio, std::clamp(p_.wetbulb_K - wetbulb_K, -10.0, 25.0))};
}

TowerPoint Tower::at(double water_kg_per_s, double inlet_K, const TowerAir& entering, double speed_frac,
                     double cells_frac) const {
  const double wetbulb_K = entering.wetbulb_K, pressure_Pa = entering.pressure_Pa,
               in_enthalpy = entering.enthalpy_J_per_kg;
  TowerPoint point;
  point.leaving_K = inlet_K;
  point.air_wetbulb_K = wetbulb_K;
  if (!(water_kg_per_s > 1e-9 * p_.water_kg_per_s && cells_frac > 1e-6)) return point;
  // Cells at work share all the water; each is a small tower.
  const double air_frac = fan_air_frac(p_, speed_frac), water_frac = water_kg_per_s / (p_.water_kg_per_s * cells_frac);
  const double C_water = water_kg_per_s * liquid_cp_J_per_kg_K, air = air_kg_per_s_ * air_frac * cells_frac;
  // A curve held below its validity would keep UA while the flow vanishes: from there on UA falls with the flow.
  const auto curve = [](const std::vector<double>& c, double x, double x_min) {
    return quadratic(c, std::clamp(x, x_min, 1.0)) * std::min(x / x_min, 1.0);
  };
  const double UA = UA_W_per_K_ * cells_frac * curve(p_.ua_air_ratio, air_frac, 0.2) *
                    curve(p_.ua_water_ratio, water_frac, 0.3) * entering.UA_ratio;
  // Leaving wet bulb and the heat capacity that it gives: a contraction (factor about 0.3), secant steps finish it.
  const auto next = [&](double out_K) {
    const double c_e = equivalent_cp(wetbulb_K, out_K, in_enthalpy, pressure_Pa);
    point.heat_W = counterflow_heat_W(UA * c_e / dry_air_cp_J_per_kg_K, C_water, air * c_e, inlet_K, wetbulb_K);
    return wetbulb_K + point.heat_W / (air * c_e);
  };
  double x0 = wetbulb_K + 0.5 * (inlet_K - wetbulb_K), f0 = next(x0) - x0;
  double x1 = x0 + f0;
  for (int i = 0; i < 6; ++i) {
    const double f1 = next(x1) - x1;
    if (std::abs(f1) < 1e-9 || f1 == f0) break;
    const double x2 = x1 - f1 * (x1 - x0) / (f1 - f0);
    x0 = x1, f0 = f1, x1 = x2;
  }
  point.air_wetbulb_K = x1;
  point.leaving_K = inlet_K - point.heat_W / C_water;
  point.evaporated_kg_per_s = air * std::max(saturated_humidity_ratio(x1, pressure_Pa) - entering.humidity_ratio, 0.0);
  return point;
}

double Tower::fan_W(double speed_frac) const {
  const double lo = 0.5 * p_.fan_floor_frac;
  if (speed_frac <= lo) return 0.0;
  const double s = std::min((speed_frac - lo) / lo, 1.0);
  return p_.fan_W * s * math::pow(std::max(speed_frac, p_.fan_floor_frac), p_.fan_exponent_ratio);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
