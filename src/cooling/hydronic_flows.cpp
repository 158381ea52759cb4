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
}

/// @param p of the water loop
void temperatures(const HydronicParams& p, const WaterIndex& at, std::span<const double> y, WaterFlows& f) {
  const auto node = [](double J, double J_per_K) { return reference_K + J / J_per_K; };
  f.facility_cold_K = node(y[at.facility_cold], (0.5 * p.facility_m3 + p.facility_tank_m3) * p.facility_J_per_m3_K);
  f.facility_hot_K = node(y[at.facility_hot], 0.5 * p.facility_m3 * p.facility_J_per_m3_K);
  f.reject_cold_K = node(y[at.reject_cold], 0.5 * p.reject_m3 * p.reject_J_per_m3_K);
  f.reject_hot_K = node(y[at.reject_hot], 0.5 * p.reject_m3 * p.reject_J_per_m3_K);
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
  f.coil_W = counterflow_heat_W(UA, fan_kg_per_s * cp, coil_kg_per_s * p.facility_J_per_kg_K, f.hot_K,
                                f.water.front().facility_cold_K);
  f.servers_W = servers_kg_per_s * cp * (f.cold_K - reference_K);
  f.leak_W = leak_kg_per_s * cp * ((leak_kg_per_s > 0.0 ? f.cold_K : f.hot_K) - reference_K);
  f.metal_cold_W = p.metal_cold_W_per_K * (f.metal_K - f.cold_K);
  f.metal_hot_W = p.metal_hot_W_per_K * (f.metal_K - f.hot_K);
  f.air_fan_W = live * affinity_W(p.air_fan_W, speed, p.air_fan_exponent_ratio) * (air.pressure_Pa / 101325.0);
  f.needed_fan = c.input.server_flow_m3_per_s / p.air_flow_m3_per_s + p.air_leakage_frac;
}

// Rejection: the water goes past the tower below the first fifth of the drive, through it above; then fans speed up.
void rejection(const HydronicPlant::Water& water, const WaterIndex& at, const Conditions& c, std::span<const double> y,
               double reject_kg_per_s, WaterFlows& f) {
  const HydronicParams& p = water.params;
  const WeatherSample& air = c.input.outdoor;
  const double drive = held(y[at.reject_drive], 0.0, 1.0), live = held(y[tower_live], 0.0, 1.0);
  const double through = std::min(drive / 0.2, 1.0), speed = std::max((drive - 0.2) / 0.8, 0.0);
  if (const Tower* tower = water.tower_at()) {
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
  const double kg_per_s = reject_kg_per_s * through;
  const double UA = flow_scaled_UA(p.dry_W_per_K, air_kg_per_s / p.dry_air_kg_per_s, kg_per_s / p.reject_flow_kg_per_s);
  f.tower_W = counterflow_heat_W(UA, kg_per_s * p.reject_J_per_kg_K, air_kg_per_s * dry_air_cp_J_per_kg_K,
                                 f.reject_hot_K, air.drybulb_K);
  f.reject_fan_W = live * affinity_W(p.dry_fan_W, speed, p.dry_fan_exponent_ratio);
}

/// Supply and return of a water loop, and what takes its heat: user, economiser, chillers, rejection. @pre temperatures and load_W
void water_side(const HydronicPlant::Water& water, const WaterIndex& at, const Conditions& c, std::span<const double> y,
                double facility_kg_per_s, WaterFlows& f) {
  const HydronicParams& p = water.params;
  const double facility_W_per_K = facility_kg_per_s * p.facility_J_per_kg_K;
  const double rated_kg_per_s = water.coil_share * p.coil_flow_kg_per_s + water.cdu_share * p.cdu_flow_kg_per_s;
  f.supply_W = facility_W_per_K * (f.facility_cold_K - reference_K);
  f.return_W = facility_W_per_K * (f.facility_hot_K - reference_K);
  f.pump_W = affinity_W(p.facility_pump_W, facility_kg_per_s / rated_kg_per_s, p.pump_exponent_ratio);
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
  if (p.chiller.capacity_W > 0.0 && y[at.stage] > 0.0 && reject_W_per_K > 0.0) {
    const double live = held(y[chiller_live], 0.0, 1.0), on = std::min(y[at.stage] / p.n_chiller, 1.0) * live;
    const double entering_K = f.reject_cold_K + f.economiser_W / reject_W_per_K;
    // Warmer water than machines make is blended of theirs.
    const double leaving_K = std::min(f.facility_cold_K, p.chiller.leaving_high_K);
    const ChillerPoint full = chiller_at(p.chiller, 0.0, leaving_K, entering_K);
    const double plr_frac = held(y[at.chiller_drive], 0.0, 1.0) * p.chiller.plr_max_frac;
    f.chilled_W = plr_frac * full.available_W * on;
    // Per machine at its share of the load, times the machines on.
    f.compressor_W = on * chiller_at(p.chiller, plr_frac * full.available_W, leaving_K, entering_K).power_W;
  }
  rejection(water, at, c, y, reject_kg_per_s, f);
}

void water_rates(const HydronicPlant::Water& water, const WaterIndex& at, const WaterFlows& f, std::span<double> d) {
  d[at.facility_cold] = f.return_W - f.economiser_W - f.chilled_W + f.pump_W - f.supply_W;
  d[at.facility_hot] = f.supply_W + f.load_W - f.reuse_W - f.return_W;
  d[at.reject_cold] = f.reject_return_W - f.tower_W + f.reject_pump_W - f.reject_supply_W;
  d[at.reject_hot] = f.reject_supply_W + f.economiser_W + f.chilled_W +
                     water.params.chiller.motor_frac * f.compressor_W - f.reject_return_W;
  d[at.stage] = d[at.since_s] = 0.0;
}

}  // namespace

Flows flows(const HydronicParams& p, const Waters& waters, const Conditions& c, std::span<const double> y) {
  Flows f{};
  temperatures(p, y, f);
  for (std::size_t w = 0; w < waters.size(); ++w) temperatures(waters[w].params, of_water[w], y, f.water[w]);
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
                               f.loop_hot_K, f.water[waters.size() - 1].facility_cold_K);

  for (std::size_t w = 0; w < waters.size(); ++w) {
    const auto& water = waters[w];
    f.water[w].load_W = water.coil_share * f.coil_W + water.cdu_share * f.cdu_W;
    water_side(water, of_water[w], c, y, water.coil_share * coil_kg_per_s + water.cdu_share * cdu_kg_per_s, f.water[w]);
  }
  return f;
}

void derivatives(const HydronicParams& p, const Waters& waters, const Conditions& c, std::span<const double> y,
                 std::span<double> d) {
  const Flows f = flows(p, waters, c, y);
  d[cold_J] = f.crah_air_W - f.coil_W + f.air_fan_W + f.metal_cold_W - f.servers_W - f.leak_W;
  d[hot_J] = f.servers_W + f.leak_W + c.input.it_heat_W + f.metal_hot_W - f.crah_air_W;
  d[metal_J] = -f.metal_cold_W - f.metal_hot_W;
  d[loop_cold_J] = f.loop_return_W - f.cdu_W + f.loop_pump_W - f.loop_supply_W;
  d[loop_hot_J] = f.loop_supply_W + c.input.liquid_heat_W - f.loop_return_W;
  control_rates(p, waters, c, f, y, d);

  const auto meter = d.subspan(n_state(waters));
  std::fill(meter.begin(), meter.end(), 0.0);
  meter[heat_in_J] = c.input.it_heat_W + c.input.liquid_heat_W;
  meter[fan_J] = f.air_fan_W;
  meter[pump_J] = f.loop_pump_W;
  for (std::size_t w = 0; w < waters.size(); ++w) {
    const WaterFlows& of = f.water[w];
    water_rates(waters[w], of_water[w], of, d);
    meter[pump_J] += of.pump_W;
    meter[pump_J] += of.reject_pump_W;
    meter[compressor_J] += of.compressor_W;
    meter[rejected_J] += of.tower_W;
    meter[reuse_J] += of.reuse_W;
    meter[reject_fan_J] += of.reject_fan_W;
    meter[evaporated_kg] += of.evaporated_kg_per_s;
    meter[chilled_J] += of.chilled_W;
  }
  meter[supply_K_s] = f.cold_K;
  meter[hot_K_s] = f.hot_K;
  meter[loop_K_s] = f.loop_cold_K;
  meter[loop_kg] = f.loop_kg_per_s;
}

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
