#include "hydronic_flows.hpp"

#include <algorithm>

#include "heat_exchanger.hpp"
#include "liquid.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling::hydronic {
namespace {

constexpr double free_convection_frac = 0.05;  ///< of a dry cooler's air, without fans [assumed, 0.02 to 0.12]

double held(double x, double lo, double hi) { return std::min(std::max(x, lo), hi); }

TIDEWATT_CLONES
double affinity_W(double rated_W, double ratio, double exponent) {
  return ratio > 1e-9 ? rated_W * math::pow(ratio, exponent) : 0.0;
}

void temperatures(const HydronicParams& p, std::span<const double> y, Flows& f) {
  const auto node = [](double J, double J_per_K) { return reference_K + J / J_per_K; };
  f.cold_K = node(y[cold_J], p.cold_aisle_J_per_K);
  f.hot_K = node(y[hot_J], p.hot_aisle_J_per_K);
  f.metal_K = node(y[metal_J], p.metal_J_per_K);
  f.loop_cold_K = node(y[loop_cold_J], 0.5 * p.loop_m3 * p.loop_J_per_m3_K);
  f.loop_hot_K = node(y[loop_hot_J], 0.5 * p.loop_m3 * p.loop_J_per_m3_K);
  f.facility_cold_K = node(y[facility_cold_J], (0.5 * p.facility_m3 + p.facility_tank_m3) * p.facility_J_per_m3_K);
  f.facility_hot_K = node(y[facility_hot_J], 0.5 * p.facility_m3 * p.facility_J_per_m3_K);
  f.reject_cold_K = node(y[reject_cold_J], 0.5 * p.reject_m3 * p.reject_J_per_m3_K);
  f.reject_hot_K = node(y[reject_hot_J], 0.5 * p.reject_m3 * p.reject_J_per_m3_K);
}

void air_side(const HydronicParams& p, const Conditions& c, std::span<const double> y, double coil_kg_per_s, Flows& f) {
  const WeatherSample& air = c.input.outdoor;
  // The hall's air is sealed; its humidity is that of the weather held below a dew point of 15 degC, by pressure only
  // the density matters.
  const double cp = dry_air_cp_J_per_kg_K;
  const double speed = held(y[crah_fan], 0.0, 1.0), live = held(y[fan_live], 0.0, 1.0);
  const double fan_kg_per_s =
      speed * live * p.air_flow_m3_per_s * dry_air_density_kg_per_m3(f.hot_K, 0.0, air.pressure_Pa);
  const double servers_kg_per_s =
      c.input.server_flow_m3_per_s * dry_air_density_kg_per_m3(f.cold_K, 0.0, air.pressure_Pa);
  const double leak_kg_per_s = fan_kg_per_s - servers_kg_per_s;  // below 0: hot air returns to the cold aisle
  const double rated_kg_per_s = p.air_flow_m3_per_s * 1.2;
  const double UA = flow_scaled_UA(p.coil_W_per_K, fan_kg_per_s / rated_kg_per_s, coil_kg_per_s / p.coil_flow_kg_per_s);
  f.crah_air_W = fan_kg_per_s * cp * (f.hot_K - reference_K);
  f.coil_W =
      counterflow_heat_W(UA, fan_kg_per_s * cp, coil_kg_per_s * p.facility_J_per_kg_K, f.hot_K, f.facility_cold_K);
  f.servers_W = servers_kg_per_s * cp * (f.cold_K - reference_K);
  f.leak_W = leak_kg_per_s * cp * ((leak_kg_per_s > 0.0 ? f.cold_K : f.hot_K) - reference_K);
  f.metal_cold_W = p.metal_cold_W_per_K * (f.metal_K - f.cold_K);
  f.metal_hot_W = p.metal_hot_W_per_K * (f.metal_K - f.hot_K);
  f.air_fan_W = live * affinity_W(p.air_fan_W, speed, p.air_fan_exponent_ratio) * (air.pressure_Pa / 101325.0);
  f.needed_fan = c.input.server_flow_m3_per_s / p.air_flow_m3_per_s + p.air_leakage_frac;
}

// Rejection: the water goes past the tower below the first fifth of the drive, through it above; then fans speed up.
void rejection(const HydronicParams& p, const Tower* tower, const Conditions& c, std::span<const double> y,
               double reject_kg_per_s, Flows& f) {
  const WeatherSample& air = c.input.outdoor;
  const double drive = held(y[reject_drive], 0.0, 1.0), live = held(y[tower_live], 0.0, 1.0);
  const double through = std::min(drive / 0.2, 1.0), speed = std::max((drive - 0.2) / 0.8, 0.0);
  if (tower) {
    const TowerPoint t = tower->at(reject_kg_per_s * through, f.reject_hot_K, c.tower_air, speed, live);
    f.tower_W = t.heat_W;
    f.evaporated_kg_per_s = t.heat_W > 0.0 ? t.evaporated_kg_per_s : 0.0;
    if (live < 1.0) {  // air still rises through the cells whose fans have failed
      const TowerPoint still = tower->at(reject_kg_per_s * through, f.reject_hot_K, c.tower_air, 0.0, 1.0);
      f.tower_W += (1.0 - live) * still.heat_W;
      f.evaporated_kg_per_s += (1.0 - live) * (still.heat_W > 0.0 ? still.evaporated_kg_per_s : 0.0);
    }
    f.reject_fan_W = live * tower->fan_W(speed);
    return;
  }
  // Where fans rest or have failed, warm air rises by itself.
  const double air_frac = live * std::max(speed, free_convection_frac) + (1.0 - live) * free_convection_frac;
  const double air_kg_per_s = p.dry_air_kg_per_s * air_frac * (air.pressure_Pa / 101325.0);
  const double water = reject_kg_per_s * through;
  const double UA = flow_scaled_UA(p.dry_W_per_K, air_kg_per_s / p.dry_air_kg_per_s, water / p.reject_flow_kg_per_s);
  f.tower_W = counterflow_heat_W(UA, water * p.reject_J_per_kg_K, air_kg_per_s * dry_air_cp_J_per_kg_K, f.reject_hot_K,
                                 air.drybulb_K);
  f.reject_fan_W = live * affinity_W(p.dry_fan_W, speed, p.dry_fan_exponent_ratio);
}

}  // namespace

Flows flows(const HydronicParams& p, const Tower* tower, const Conditions& c, std::span<const double> y) {
  Flows f{};
  temperatures(p, y, f);
  const double pumps = held(y[pump_live], 0.0, 1.0), cdus = held(y[cdu_live], 0.0, 1.0);
  const double coil_kg_per_s = pumps * held(y[crah_valve], 0.0, 1.0) * p.coil_flow_kg_per_s;
  const double cdu_kg_per_s = pumps * held(y[cdu_valve], 0.0, 1.0) * p.cdu_flow_kg_per_s;
  air_side(p, c, y, coil_kg_per_s, f);

  const double loop_ratio = cdus * held(y[loop_pump], 0.0, 1.0);
  f.loop_kg_per_s = loop_ratio * p.loop_flow_kg_per_s;
  f.loop_supply_W = f.loop_kg_per_s * p.loop_J_per_kg_K * (f.loop_cold_K - reference_K);
  f.loop_return_W = f.loop_kg_per_s * p.loop_J_per_kg_K * (f.loop_hot_K - reference_K);
  f.loop_pump_W = cdus * affinity_W(p.loop_pump_W, held(y[loop_pump], 0.0, 1.0), p.pump_exponent_ratio);
  const double cdu_UA = cdus * flow_scaled_UA(p.cdu_W_per_K, loop_ratio, cdu_kg_per_s / p.cdu_flow_kg_per_s);
  f.cdu_W = counterflow_heat_W(cdu_UA, f.loop_kg_per_s * p.loop_J_per_kg_K, cdu_kg_per_s * p.facility_J_per_kg_K,
                               f.loop_hot_K, f.facility_cold_K);

  const double facility_kg_per_s = coil_kg_per_s + cdu_kg_per_s;
  const double facility_W_per_K = facility_kg_per_s * p.facility_J_per_kg_K;
  const double rated_kg_per_s = p.coil_flow_kg_per_s + p.cdu_flow_kg_per_s;
  f.facility_supply_W = facility_W_per_K * (f.facility_cold_K - reference_K);
  f.facility_return_W = facility_W_per_K * (f.facility_hot_K - reference_K);
  f.facility_pump_W = affinity_W(p.facility_pump_W, facility_kg_per_s / rated_kg_per_s, p.pump_exponent_ratio);
  f.reuse_W = held(p.reuse_W_per_K * (f.facility_hot_K - p.reuse_K), 0.0, p.reuse_max_W);

  const double reject_kg_per_s = held(y[pump_live], 0.0, 1.0) * p.reject_flow_kg_per_s;
  const double reject_W_per_K = reject_kg_per_s * p.reject_J_per_kg_K;
  f.reject_supply_W = reject_W_per_K * (f.reject_cold_K - reference_K);
  f.reject_return_W = reject_W_per_K * (f.reject_hot_K - reference_K);
  f.reject_pump_W = affinity_W(p.reject_pump_W, reject_kg_per_s / p.reject_flow_kg_per_s, p.pump_exponent_ratio);
  const double UA = flow_scaled_UA(p.economiser_W_per_K, facility_kg_per_s / rated_kg_per_s,
                                   reject_kg_per_s / p.reject_flow_kg_per_s);
  // The economiser is bypassed where it would warm the facility water.
  f.economiser_W =
      std::max(counterflow_heat_W(UA, facility_W_per_K, reject_W_per_K, f.facility_hot_K, f.reject_cold_K), 0.0);
  if (p.chiller.capacity_W > 0.0 && y[chiller_stage] > 0.0 && reject_W_per_K > 0.0) {
    const double live = held(y[chiller_live], 0.0, 1.0), on = std::min(y[chiller_stage] / p.n_chiller, 1.0) * live;
    const double entering_K = f.reject_cold_K + f.economiser_W / reject_W_per_K;
    const ChillerPoint full = chiller_at(p.chiller, 0.0, f.facility_cold_K, entering_K);
    f.chiller_plr_frac = held(y[chiller_drive], 0.0, 1.0) * p.chiller.plr_max_frac;
    f.chilled_W = f.chiller_plr_frac * full.available_W * on;
    // Per machine at its share of the load, times the machines on.
    f.compressor_W =
        on * chiller_at(p.chiller, f.chiller_plr_frac * full.available_W, f.facility_cold_K, entering_K).power_W;
  }
  rejection(p, tower, c, y, reject_kg_per_s, f);
  return f;
}

void derivatives(const HydronicParams& p, const Tower* tower, const Conditions& c, std::span<const double> y,
                 std::span<double> d) {
  const Flows f = flows(p, tower, c, y);
  d[cold_J] = f.crah_air_W - f.coil_W + f.air_fan_W + f.metal_cold_W - f.servers_W - f.leak_W;
  d[hot_J] = f.servers_W + f.leak_W + c.input.it_heat_W + f.metal_hot_W - f.crah_air_W;
  d[metal_J] = -f.metal_cold_W - f.metal_hot_W;
  d[loop_cold_J] = f.loop_return_W - f.cdu_W + f.loop_pump_W - f.loop_supply_W;
  d[loop_hot_J] = f.loop_supply_W + c.input.liquid_heat_W - f.loop_return_W;
  d[facility_cold_J] = f.facility_return_W - f.economiser_W - f.chilled_W + f.facility_pump_W - f.facility_supply_W;
  d[facility_hot_J] = f.facility_supply_W + f.coil_W + f.cdu_W - f.reuse_W - f.facility_return_W;
  d[reject_cold_J] = f.reject_return_W - f.tower_W + f.reject_pump_W - f.reject_supply_W;
  d[reject_hot_J] =
      f.reject_supply_W + f.economiser_W + f.chilled_W + p.chiller.motor_frac * f.compressor_W - f.reject_return_W;
  control_rates(p, c, f, y, d);
  d[chiller_stage] = d[chiller_since_s] = 0.0;

  d[heat_in_J] = c.input.it_heat_W + c.input.liquid_heat_W;
  d[fan_J] = f.air_fan_W;
  d[pump_J] = f.loop_pump_W + f.facility_pump_W + f.reject_pump_W;
  d[compressor_J] = f.compressor_W;
  d[rejected_J] = f.tower_W;
  d[reuse_J] = f.reuse_W;
  d[reject_fan_J] = f.reject_fan_W;
  d[evaporated_kg] = f.evaporated_kg_per_s;
  d[supply_K_s] = f.cold_K;
  d[hot_K_s] = f.hot_K;
  d[loop_K_s] = f.loop_cold_K;
  d[loop_kg] = f.loop_kg_per_s;
  d[chilled_J] = f.chilled_W;
}

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
