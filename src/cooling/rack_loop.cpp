#include "tidewatt/cooling/rack_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "liquid.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

void RackLoopParams::fields(FieldVisitor& v) {
  v.number("flow_L_per_min", flow_m3_per_s, {0.1, 10000}, "coolant through the rack");
  v.number("glycol_frac", glycol_frac, {0, 0.5}, "propylene glycol by mass, 0 = water");
  v.number("liquid_frac", liquid_frac, {0, 1}, "fraction of the rack's input power that goes to the liquid");
  v.number("supply_max_degC", supply_max_K, {5, 70}, "highest supply temperature");
  v.number("rise_max_K", rise_max_K, {1, 60}, "highest rise from supply to return");
  v.number("return_max_degC", return_max_K, {10, 90}, "highest return temperature");
  v.number("cdu_approach_K", cdu_approach_K, {0, 30}, "rack supply over facility supply at design load");
  v.number("drop_kPa", drop_Pa, {1, 1000}, "pressure drop of the rack at its flow");
}

double rack_flow_kg_per_s(const RackLoopParams& loop, double supply_K) {
  return coolant_density_kg_per_m3(supply_K, loop.glycol_frac) * loop.flow_m3_per_s;
}

double rack_rise_K(const RackLoopParams& loop, double heat_W, double supply_K) {
  if (!(loop.flow_m3_per_s > 0.0)) throw InputError("rack loop: its flow must be above 0");
  const double kg_per_s = rack_flow_kg_per_s(loop, supply_K);
  double rise_K = 0.0;
  // c changes by under 0.2 % per kelvin, so the fixed point gains three digits with each pass.
  for (int pass = 0; pass < 6; ++pass)
    rise_K = heat_W / (kg_per_s * coolant_cp_J_per_kg_K(supply_K + 0.5 * rise_K, loop.glycol_frac));
  return rise_K;
}

double rack_flow_needed_m3_per_s(const RackLoopParams& loop, double heat_W, double supply_K) {
  const double rise_K = std::min(loop.rise_max_K, loop.return_max_K - supply_K);
  if (!(rise_K > 0.0))
    throw InputError(fmt::format("rack loop: a supply of {:.1f} degC leaves no rise below the return limit of {:.1f}",
                                 supply_K - 273.15, loop.return_max_K - 273.15));
  return coolant_flow_kg_per_s(heat_W, rise_K, supply_K + 0.5 * rise_K, loop.glycol_frac) /
         coolant_density_kg_per_m3(supply_K, loop.glycol_frac);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
