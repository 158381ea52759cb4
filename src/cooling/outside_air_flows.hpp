#pragma once
// The right-hand side of OutsideAirPlant: every flow from the present state, then the balances that they enter.
#include <span>

#include "tidewatt/cooling/outside_air_plant.hpp"

namespace TIDEWATT_NAMESPACE::cooling::outside_air {

inline constexpr double reference_K = 293.15;  ///< zero of the stored energies
inline constexpr double rating_density_kg_per_m3 = 1.2;

/// Layout: the caller's state, then the meters that advance() empties at every step.
enum StateIndex : std::size_t {
  plenum_J,
  cold_J,
  hot_J,
  metal_J,
  mix,
  mix_integral,
  wet,
  wet_integral,
  fan_speed,
  n_state
};
enum MeterIndex : std::size_t {
  heat_in_J = n_state,
  fan_J,
  intake_J,
  exhaust_J,
  latent_J,
  evaporated_kg,
  supply_K_s,
  hot_K_s,
  humidity_s,
  mix_s,
  wet_s,
  needed_s,
  n_all
};

/// What stays constant over a step.
struct Conditions {
  PlantInput input;
  double wetbulb_K = 0.0;
  double low_K = 0.0, high_K = 0.0;  ///< set points after the humidity limit
};
/// What weather, heat and settings leave constant over a step.
Conditions conditions(const OutsideAirParams& p, const PlantInput& input);

struct Flows {
  double plenum_K, cold_K, hot_K, metal_K;
  double back_frac;  ///< return air in what the fans move
  double supply_humidity;
  double servers_W, leak_W, intake_W, return_W, exhaust_W, supply_W, latent_W, fan_W, metal_cold_W, metal_hot_W;
  double evaporated_kg_per_s;
  double needed_speed;
};
/// Every flow at a state. @param y state, then meters, [n_all]; entries as their names say
Flows flows(const OutsideAirParams& p, const Conditions& c, std::span<const double> y);

/// Fan power at speed n, a share of the rated one, and air density.
double fan_power_W(const OutsideAirParams& p, double speed, double density_kg_per_m3);
/// Share of the wet-bulb depression that the wet media take, 0 to 1, at a fan speed, a share of the rated one.
double media_effectiveness(const OutsideAirParams& p, double speed);
/// Share of return air that comes of a commanded mixing share, 0 to mix_max_frac.
double return_share(const OutsideAirParams& p, double commanded);
/// Time derivatives per s. @param y state, then meters, [n_all]  @param dydt the same layout, [n_all]
void derivatives(const OutsideAirParams& p, const Conditions& c, std::span<const double> y, std::span<double> dydt);

}  // namespace TIDEWATT_NAMESPACE::cooling::outside_air
