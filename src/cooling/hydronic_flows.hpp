#pragma once
// The right-hand side of HydronicPlant: every flow from the present state, then the balances that they enter.
#include <array>
#include <span>
#include <vector>

#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/tower.hpp"

namespace TIDEWATT_NAMESPACE::cooling::hydronic {

inline constexpr double reference_K = 293.15;  ///< zero of the stored energies

/// Layout: the caller's state, of plants with two water loops the warm one's behind it, then the meters that advance() empties at every
/// step.
enum StateIndex : std::size_t {
  cold_J,
  hot_J,
  metal_J,
  loop_cold_J,
  loop_hot_J,
  facility_cold_J,
  facility_hot_J,
  reject_cold_J,
  reject_hot_J,
  crah_fan,
  crah_valve,
  crah_integral,
  cdu_valve,
  cdu_integral,
  loop_pump,
  reject_drive,
  reject_integral,
  chiller_drive,
  chiller_integral,
  fan_live,
  cdu_live,
  pump_live,
  tower_live,
  chiller_live,
  chiller_stage,    ///< machines on: constant within a step
  chiller_since_s,  ///< since the last change: constant within a step
  n_one_loop,
  warm_facility_cold_J = n_one_loop,
  warm_facility_hot_J,
  warm_reject_cold_J,
  warm_reject_hot_J,
  warm_reject_drive,
  warm_reject_integral,
  warm_chiller_drive,
  warm_chiller_integral,
  warm_chiller_stage,
  warm_chiller_since_s,
  n_two_loops
};
/// Counted from the end of the state.
enum MeterIndex : std::size_t {
  heat_in_J,
  fan_J,
  pump_J,
  compressor_J,
  rejected_J,
  reuse_J,
  reject_fan_J,
  evaporated_kg,
  supply_K_s,
  hot_K_s,
  loop_K_s,
  loop_kg,
  chilled_J,
  n_meter
};

/// Where a water loop's state is.
struct WaterIndex {
  std::size_t facility_cold, facility_hot, reject_cold, reject_hot, reject_drive, reject_integral, chiller_drive,
      chiller_integral, stage, since_s;
};
inline constexpr std::array<WaterIndex, 2> of_water{
    WaterIndex{facility_cold_J, facility_hot_J, reject_cold_J, reject_hot_J, reject_drive, reject_integral,
               chiller_drive, chiller_integral, chiller_stage, chiller_since_s},
    WaterIndex{warm_facility_cold_J, warm_facility_hot_J, warm_reject_cold_J, warm_reject_hot_J, warm_reject_drive,
               warm_reject_integral, warm_chiller_drive, warm_chiller_integral, warm_chiller_stage,
               warm_chiller_since_s}};

using Waters = std::vector<HydronicPlant::Water>;
inline std::size_t n_state(const Waters& waters) { return waters.size() == 1 ? n_one_loop : n_two_loops; }

/// What stays constant over a step.
struct Conditions {
  PlantInput input;
  TowerAir tower_air;
};

/// Of one water loop.
struct WaterFlows {
  double facility_cold_K, facility_hot_K, reject_cold_K, reject_hot_K;
  double supply_W, return_W, load_W, economiser_W, chilled_W, reuse_W, pump_W;
  double reject_supply_W, reject_return_W, compressor_W, tower_W, reject_pump_W, reject_fan_W;
  double evaporated_kg_per_s;
};
struct Flows {
  double cold_K, hot_K, metal_K, loop_cold_K, loop_hot_K;
  double crah_air_W, coil_W, servers_W, leak_W, metal_cold_W, metal_hot_W, air_fan_W;
  double loop_kg_per_s, loop_supply_W, loop_return_W, cdu_W, loop_pump_W;
  double needed_fan;
  std::array<WaterFlows, 2> water;  ///< the second one of plants with two loops
};
Flows flows(const HydronicParams& p, const Waters& waters, const Conditions& c, std::span<const double> y);
void derivatives(const HydronicParams& p, const Waters& waters, const Conditions& c, std::span<const double> y,
                 std::span<double> dydt);
/// Rates of controllers, actuators and availabilities, from the flows.
void control_rates(const HydronicParams& p, const Waters& waters, const Conditions& c, const Flows& f,
                   std::span<const double> y, std::span<double> dydt);

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
