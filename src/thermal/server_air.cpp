#include "tidewatt/thermal/server_air.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

void ServerAirParams::fields(FieldVisitor& v) {
  v.number("flow_m3_per_s", flow_m3_per_s, {0.001, 10}, "air flow of the server at full fan speed");
  v.number("gpu_flow_frac", gpu_flow_frac, {0.05, 1}, "fraction of the flow that passes the GPU sinks");
  v.number("preheat_mixing_ratio", preheat_mixing_ratio, {0, 1},
           "fraction of the front row's heat in the inlet air of the rear row");
  v.number("fan_min_frac", fan_min_frac, {0.05, 1}, "lowest fan speed ÷ full speed");
  v.number("fan_start_degC", fan_start_K, {0, 110}, "hottest die at which fans leave their lowest speed");
  v.number("fan_full_degC", fan_full_K, {1, 120}, "hottest die at which fans run at full speed");
  v.number("fan_lag_s", fan_lag_s, {0.1, 3600}, "first-order lag of the fan controller");
  v.number("inlet_max_degC", inlet_max_K, {10, 80},
           "warmest air at its front at which the server may start; absent: not known", Need::optional);
}

}  // namespace TIDEWATT_NAMESPACE::thermal
