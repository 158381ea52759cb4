#include "tidewatt/thermal/cold_plate.hpp"

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

void ColdPlateParams::fields(FieldVisitor& v) {
  v.number("convection_K_per_W", convection_K_per_W, {1e-4, 1}, "plate to liquid at the reference flow");
  v.number("flow_ref_kg_per_s", flow_ref_kg_per_s, {1e-4, 1}, "reference flow of one plate");
  v.number("flow_exponent_ratio", flow_exponent_ratio, {0, 1}, "conductance ~ flow^exponent");
  v.number("liquid_J_per_kg_K", liquid_J_per_kg_K, {1000, 5000}, "heat capacity of the coolant");
  v.number("wet_J_per_K", wet_J_per_K, {0, 2000}, "heat capacity of the liquid in the plate");
  v.number("still_W_per_K", still_W_per_K, {1e-3, 10}, "conductance without flow");
}

double cold_plate_K_per_W(const ColdPlateParams& p, double flow_kg_per_s) {
  if (!(flow_kg_per_s >= 0.0)) throw InputError("a cold plate's flow must not be negative");
  if (flow_kg_per_s == 0.0) return 1.0 / p.still_W_per_K;
  const double UA = math::pow(flow_kg_per_s / p.flow_ref_kg_per_s, p.flow_exponent_ratio) / p.convection_K_per_W;
  const double capacity_W_per_K = flow_kg_per_s * p.liquid_J_per_kg_K;
  return 1.0 / (capacity_W_per_K * (1.0 - math::exp(-UA / capacity_W_per_K)) + p.still_W_per_K);
}

double to_liquid_frac(const ColdPlateParams& p, double flow_kg_per_s) {
  return 1.0 - p.still_W_per_K * cold_plate_K_per_W(p, flow_kg_per_s);
}

void LiquidCaptureParams::fields(FieldVisitor& v) {
  v.number("gpu_liquid_frac", gpu_liquid_frac, {0, 1}, "fraction of GPU heat that goes into the liquid");
  v.number("host_liquid_frac", host_liquid_frac, {0, 1}, "fraction of host heat that goes into the liquid");
  v.number("liquid_max_degC", liquid_max_K, {10, 90},
           "warmest liquid at its inlet at which the server may start; absent: not known", Need::optional);
}

}  // namespace TIDEWATT_NAMESPACE::thermal
