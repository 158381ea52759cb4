#include "tidewatt/cooling/outside_air_plant.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

void OutsideAirParams::fields(FieldVisitor& v) {
  v.number("reference_it_kW", reference_it_W, {0.001, 1e6}, "IT heat of the hall for which the sizes below are given");
  v.number("supply_low_degC", supply_low_K, {-10, 40}, "lowest supply temperature, kept by mixing in return air");
  v.number("supply_high_degC", supply_high_K, {0, 60}, "supply temperature above which evaporation starts");
  v.number("rh_max_frac", rh_max_frac, {0.2, 1}, "highest relative humidity of supply air");
  v.number("design_flow_m3_per_s", design_flow_m3_per_s, {1e-6, 1e6}, "largest flow of the fan walls");
  v.number("design_pressure_Pa", design_pressure_Pa, {0, 3000},
           "pressure drop of the air path at design flow, 1.2 kg/m3");
  v.number("aisle_pressure_Pa", aisle_pressure_Pa, {0, 200}, "pressure kept between cold and hot aisle");
  v.number("leakage_frac", leakage_frac, {0, 0.5}, "flow through gaps between the aisles, of design flow");
  v.number("fan_floor_frac", fan_floor_frac, {0.05, 1}, "lowest fan speed, of design speed");
  v.number("fan_efficiency_frac", fan_efficiency_frac, {0.05, 1}, "fan, motor and drive at design speed");
  v.number("fan_droop_frac", fan_droop_frac, {0, 0.9}, "fraction of the efficiency lost towards zero speed");
  v.number("fan_standby_kW", fan_standby_W, {0, 1e5}, "drives and sensors of the fan walls; heats the air");
  v.number("controls_kW", controls_W, {0, 1e5}, "controls and dampers outside the air");
  v.number("media_effectiveness_frac", media_effectiveness_frac, {0.05, 0.99},
           "saturation effectiveness at design flow");
  v.number("media_exponent_ratio", media_exponent_ratio, {0, 1}, "x in transfer units proportional to flow^-x");
  v.number("pump_kW", pump_W, {0, 1e5}, "pumps of the media, all wetted");
  v.number("cycles_ratio", cycles_ratio, {1.1, 100}, "cycles of concentration of the sump water");
  v.number("mix_max_frac", mix_max_frac, {0, 0.97}, "largest share of return air");
  v.number("dampers_shut_frac", dampers_shut_frac, {0, 1},
           "share of the air handlers whose outside-air dampers a control error holds shut", Need::optional);
  v.number("dampers_apart_frac", dampers_apart_frac, {0, 1},
           "difference between the dampers of two halves of the air handlers that work against each other",
           Need::optional);
  v.number("plenum_J_per_K", plenum_J_per_K, {1, 1e10}, "heat capacity of air behind the fans");
  v.number("cold_aisle_J_per_K", cold_aisle_J_per_K, {1, 1e10}, "heat capacity of cold aisle air");
  v.number("hot_aisle_J_per_K", hot_aisle_J_per_K, {1, 1e10}, "heat capacity of hot aisle and return air");
  v.number("metal_J_per_K", metal_J_per_K, {1, 1e11}, "heat capacity of racks, ducts and concrete skin");
  v.number("metal_cold_W_per_K", metal_cold_W_per_K, {0, 1e9}, "conductance between metal and cold aisle");
  v.number("metal_hot_W_per_K", metal_hot_W_per_K, {0, 1e9}, "conductance between metal and hot aisle");
  v.number("fan_lag_s", fan_lag_s, {0.5, 600}, "first-order lag of fan speed");
  v.number("damper_lag_s", damper_lag_s, {0.5, 3600}, "first-order lag of the mixing damper");
  v.number("media_lag_s", media_lag_s, {0.5, 7200}, "first-order lag of the wetted share");
  v.number("mix_gain_ratio", mix_gain_ratio, {0, 20}, "proportional gain of mixing, 1 = what the error needs");
  v.number("mix_reset_s", mix_reset_s, {1, 36000}, "integral time of mixing");
  v.number("evap_gain_ratio", evap_gain_ratio, {0, 20}, "proportional gain of evaporation, 1 = what the error needs");
  v.number("evap_reset_s", evap_reset_s, {1, 36000}, "integral time of evaporation");
}

}  // namespace TIDEWATT_NAMESPACE::cooling
