#include <fmt/format.h>

#include <array>
#include <string_view>

#include "liquid.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

HydronicParams scaled(HydronicParams p, double factor) {
  for (double* extensive :
       {&p.reference_it_W,     &p.air_flow_m3_per_s,    &p.air_fan_W,          &p.coil_W_per_K,
        &p.coil_flow_kg_per_s, &p.loop_flow_kg_per_s,   &p.loop_pump_W,        &p.cdu_W_per_K,
        &p.cdu_flow_kg_per_s,  &p.facility_pump_W,      &p.reuse_W_per_K,      &p.reuse_max_W,
        &p.economiser_W_per_K, &p.reject_flow_kg_per_s, &p.reject_pump_W,      &p.tower.water_kg_per_s,
        &p.tower.fan_W,        &p.dry_W_per_K,          &p.dry_air_kg_per_s,   &p.dry_fan_W,
        &p.chiller.capacity_W, &p.controls_W,           &p.cold_aisle_J_per_K, &p.hot_aisle_J_per_K,
        &p.metal_J_per_K,      &p.metal_cold_W_per_K,   &p.metal_hot_W_per_K,  &p.loop_m3,
        &p.facility_m3,        &p.facility_tank_m3,     &p.reject_m3})
    *extensive *= factor;
  constexpr double T_K = 293.15;
  p.loop_J_per_kg_K = coolant_cp_J_per_kg_K(T_K, p.loop_glycol_frac);
  p.loop_J_per_m3_K = p.loop_J_per_kg_K * coolant_density_kg_per_m3(T_K, p.loop_glycol_frac);
  p.facility_J_per_kg_K = water_cp_J_per_kg_K(T_K);
  p.facility_J_per_m3_K = p.facility_J_per_kg_K * water_density_kg_per_m3(T_K);
  p.reject_J_per_kg_K = coolant_cp_J_per_kg_K(T_K, p.reject_glycol_frac);
  p.reject_J_per_m3_K = p.reject_J_per_kg_K * coolant_density_kg_per_m3(T_K, p.reject_glycol_frac);
  return p;
}

/// A share of all that a water loop rejects heat with, and one of what moves and holds its water.
HydronicParams shared(HydronicParams p, double of_heat, double of_flow) {
  for (double* x :
       {&p.economiser_W_per_K, &p.reject_flow_kg_per_s, &p.reject_pump_W, &p.reject_m3, &p.tower.water_kg_per_s,
        &p.tower.fan_W, &p.dry_W_per_K, &p.dry_air_kg_per_s, &p.dry_fan_W, &p.chiller.capacity_W})
    *x *= of_heat;
  for (double* x : {&p.facility_pump_W, &p.facility_m3, &p.facility_tank_m3}) *x *= of_flow;
  return p;
}

/// How two water loops divide what a plant has: by the design heat of each, and by its flow.
struct Division {
  double flow_frac;  ///< of the air's loop, of all water
  double own_W;      ///< fans and pumps that warm the air's loop
  double heat_frac;  ///< of the air's loop, of all heat
};

Division division(const HydronicParams& p) {
  const double flow = p.coil_flow_kg_per_s / (p.coil_flow_kg_per_s + p.cdu_flow_kg_per_s);
  const double own_W = p.air_fan_W + flow * p.facility_pump_W;
  const double air_W = (1.0 - p.liquid_frac) * p.reference_it_W + own_W;
  const double liquid_W = p.liquid_frac * p.reference_it_W + p.loop_pump_W + (1.0 - flow) * p.facility_pump_W;
  return {flow, own_W, air_W / (air_W + liquid_W)};
}

std::vector<HydronicPlant::Water> waters_of(const HydronicParams& p) {
  std::vector<HydronicPlant::Water> out;
  if (p.water_loops == "one") {
    out.push_back({p, {}, p.facility_set_K});
  } else {
    const auto [flow, own_W, heat] = division(p);
    out.push_back({shared(p, heat, flow), {}, p.facility_set_K, 1.0, 0.0});
    out.push_back({shared(p, 1.0 - heat, 1.0 - flow), {}, p.loop_set_K - p.cdu_approach_K, 0.0, 1.0});
    out.back().params.reuse_W_per_K = p.reuse_W_per_K;
    out.front().params.reuse_W_per_K = 0.0;  // a user takes the warmer water
  }
  for (auto& water : out)
    if (p.rejection == "tower") water.tower.emplace(water.params.tower);
  return out;
}

}  // namespace

double air_heat_max_W(const HydronicParams& p) {
  if (p.water_loops != "two" || !(p.chiller.capacity_W > 0.0)) return p.reference_it_W;
  const Division air = division(p);
  return air.heat_frac * p.chiller.capacity_W - air.own_W;
}

std::vector<Finding> check_set_points(const HydronicParams& p) {
  std::vector<Finding> out;
  const auto degC = [](double K) { return K - zero_celsius_K; };
  const bool two = p.water_loops == "two";
  const auto above = [&](const char* key, double K, double most_degC) {
    if (!(K > p.facility_set_K))
      out.push_back({{},
                     key,
                     fmt::format("{:g} degC is not above the facility water that cools it, facility_set_degC = {:g}; "
                                 "allowed: above {:g} to {:g}, or a lower facility_set_degC",
                                 degC(K), degC(p.facility_set_K), degC(p.facility_set_K), most_degC)});
  };
  above("air_set_degC", p.air_set_K, 45.0);
  if (p.liquid_frac > 0.0 && !two) above("loop_set_degC", p.loop_set_K, 60.0);
  if (!two) return out;
  if (!(p.liquid_frac >= 0.05 && p.liquid_frac <= 0.95))
    out.push_back({{},
                   "liquid_frac",
                   fmt::format("{:g} with water_loops = 'two': one of the loops has no heat; allowed: 0.05 to 0.95, or "
                               "water_loops = 'one'",
                               p.liquid_frac)});
  if (!(p.cdu_approach_K >= 0.5))
    out.push_back({{},
                   "cdu_approach_K",
                   fmt::format("{:g} K with water_loops = 'two': the warm loop would be as warm as the liquid that it "
                               "cools; allowed: 0.5 to 20",
                               p.cdu_approach_K)});
  return out;
}

void HydronicParams::fields(FieldVisitor& v) {
  constexpr Range W{0, 1e6}, K_band{0.05, 50}, s{0.5, 36000};
  v.number("reference_it_kW", reference_it_W, {0.001, 1e6}, "IT heat of the hall for which the sizes below are given");
  v.number("liquid_frac", liquid_frac, {0, 1}, "share of the heat that goes to the liquid, by design");
  static constexpr std::array<std::string_view, 2> loops = {"one", "two"};
  v.choice("water_loops", water_loops, loops,
           "one facility water for coils and CDUs, or a warm one of its own for the CDUs", Need::optional);
  v.number("cdu_approach_K", cdu_approach_K, {0, 20},
           "two loops: the warm water's set point lies so far below loop_set_degC; 0: one loop", Need::optional);
  v.number("air_set_degC", air_set_K, {5, 45}, "air at the servers' inlets");
  v.number("loop_set_degC", loop_set_K, {5, 60}, "liquid at the servers' inlets");
  v.number("facility_set_degC", facility_set_K, {3, 55},
           "set point of the facility water supply (two loops: of the coils'), kept by the heat rejection");
  v.number("chiller_above_K", chiller_above_K, {0, 10}, "chillers control to the facility set point plus this");
  v.number("air_flow_m3_per_s", air_flow_m3_per_s, {1e-6, 1e6}, "largest flow of the CRAH fans");
  v.number("air_leakage_frac", air_leakage_frac, {0, 0.5},
           "flow that bypasses the servers, as a fraction of the largest flow");
  v.number("air_fan_kW", air_fan_W, W, "CRAH fans at largest flow");
  v.number("air_fan_exponent_ratio", air_fan_exponent_ratio, {1.5, 3.2}, "x in fan power proportional to speed^x");
  v.number("air_fan_floor_frac", air_fan_floor_frac, {0.05, 1}, "lowest speed of CRAH fans");
  v.number("coil_W_per_K", coil_W_per_K, {1e-3, 1e9}, "CRAH coils at design flows");
  v.number("coil_flow_kg_per_s", coil_flow_kg_per_s, {1e-6, 1e6}, "water through all coils, valves open");
  v.number("loop_flow_kg_per_s", loop_flow_kg_per_s, {1e-6, 1e6}, "technology loop at full pump speed");
  v.number("loop_pump_kW", loop_pump_W, W, "pumps of the technology loop at full speed");
  v.number("loop_pump_floor_frac", loop_pump_floor_frac, {0.01, 1},
           "lowest speed of these pumps, as a fraction of full speed");
  v.number("loop_glycol_frac", loop_glycol_frac, {0, 0.5}, "propylene glycol in the technology loop, by mass");
  v.number("cdu_W_per_K", cdu_W_per_K, {1e-3, 1e9}, "CDU exchangers at design flows");
  v.number("cdu_flow_kg_per_s", cdu_flow_kg_per_s, {1e-6, 1e6}, "facility water through all CDUs, valves open");
  v.number("facility_pump_kW", facility_pump_W, W, "facility pumps, all valves open");
  v.number("pump_exponent_ratio", pump_exponent_ratio, {1, 3.2}, "x in pump power proportional to flow^x");
  v.number("valve_floor_frac", valve_floor_frac, {0, 0.5}, "smallest opening of coil and CDU valves");
  v.number("reuse_W_per_K", reuse_W_per_K, {0, 1e9}, "exchanger of a heat user on the facility return");
  v.number("reuse_degC", reuse_K, {0, 90}, "temperature at which the user takes heat");
  v.number("reuse_max_kW", reuse_max_W, {0, 1e7}, "largest heat that the user takes");
  v.number("economiser_W_per_K", economiser_W_per_K, {1e-3, 1e9}, "exchanger to the rejection loop");
  v.number("reject_flow_kg_per_s", reject_flow_kg_per_s, {1e-6, 1e6}, "water or glycol through the rejection loop");
  v.number("reject_pump_kW", reject_pump_W, W, "pumps of the rejection loop");
  v.number("reject_glycol_frac", reject_glycol_frac, {0, 0.5}, "propylene glycol in the rejection loop, by mass");
  static constexpr std::array<std::string_view, 2> kinds = {"tower", "dry_cooler"};
  v.choice("rejection", rejection, kinds, "how the plant rejects heat outdoors");
  tower.fields(v);
  v.number("dry_W_per_K", dry_W_per_K, {1e-3, 1e9}, "dry coolers at design flows");
  v.number("dry_air_kg_per_s", dry_air_kg_per_s, {1e-3, 1e7},
           "air through the dry coolers at full speed and sea level");
  v.number("dry_fan_kW", dry_fan_W, W, "fans of the dry coolers at full speed");
  v.number("dry_fan_exponent_ratio", dry_fan_exponent_ratio, {1.5, 3.2}, "x in fan power proportional to speed^x");
  v.number("cycles_ratio", cycles_ratio, {1.1, 100}, "cycles of concentration of the tower water");
  v.number("drift_frac", drift_frac, {0, 0.01}, "water carried away as droplets, of the circulation");
  chiller.fields(v);
  v.number("n_chiller", n_chiller, {1, 1000}, "chillers of equal size");
  v.number("chiller_hold_s", chiller_hold_s, {0, 7200},
           "shortest time between two changes of the number of running chillers");
  v.number("controls_kW", controls_W, W, "controls and water treatment");
  v.number("cold_aisle_J_per_K", cold_aisle_J_per_K, {1, 1e10}, "heat capacity of cold aisle air and metal with it");
  v.number("hot_aisle_J_per_K", hot_aisle_J_per_K, {1, 1e10}, "heat capacity of hot aisle and return air");
  v.number("metal_J_per_K", metal_J_per_K, {1, 1e11}, "heat capacity of racks, ducts and concrete skin");
  v.number("metal_cold_W_per_K", metal_cold_W_per_K, {0, 1e9}, "conductance between metal and cold aisle");
  v.number("metal_hot_W_per_K", metal_hot_W_per_K, {0, 1e9}, "conductance between metal and hot aisle");
  v.number("loop_m3", loop_m3, {1e-3, 1e4}, "liquid in the technology loop");
  v.number("facility_m3", facility_m3, {1e-3, 1e4}, "water in the facility loop");
  v.number("facility_tank_m3", facility_tank_m3, {0, 1e4}, "buffer tank in the facility supply");
  v.number("reject_m3", reject_m3, {1e-3, 1e4}, "liquid in the rejection loop and basins");
  v.number("fan_lag_s", fan_lag_s, s, "first-order lag of CRAH fan speed");
  v.number("valve_lag_s", valve_lag_s, s, "first-order lag of valves");
  v.number("pump_lag_s", pump_lag_s, s, "first-order lag of pump speed");
  v.number("reject_lag_s", reject_lag_s, s, "first-order lag of tower or dry cooler fans");
  v.number("chiller_lag_s", chiller_lag_s, s, "first-order lag of chiller load");
  v.number("trip_s", trip_s, s, "time in which a failed part stops");
  v.number("restart_s", restart_s, s, "time in which repaired fans, pumps, CDUs and cells return to service");
  v.number("chiller_restart_s", chiller_restart_s, s, "time in which repaired chillers return to service");
  v.number("air_band_K", air_band_K, K_band, "proportional band of the CRAH valve");
  v.number("loop_band_K", loop_band_K, K_band, "proportional band of the CDU valve");
  v.number("reject_band_K", reject_band_K, K_band, "proportional band of the rejection");
  v.number("chiller_band_K", chiller_band_K, K_band, "proportional band of the chillers");
  v.number("air_reset_s", air_reset_s, s, "integral time of the CRAH valve");
  v.number("loop_reset_s", loop_reset_s, s, "integral time of the CDU valve");
  v.number("reject_reset_s", reject_reset_s, s, "integral time of the rejection");
  v.number("chiller_reset_s", chiller_reset_s, s, "integral time of the chillers");
}

HydronicPlant::HydronicPlant(const HydronicParams& params, double rated_it_W, double rtol)
    : params_(scaled(params, rated_it_W / params.reference_it_W)), rtol_(rtol) {
  if (!(rated_it_W > 0.0 && params.reference_it_W > 0.0)) throw InputError("hydronic plant: IT heat must be positive");
  if (auto findings = check_set_points(params_); !findings.empty()) throw InputError(std::move(findings));
  if (params_.chiller.capacity_W > 0.0) check_chiller(params_.chiller);
  waters_ = waters_of(params_);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
