#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "catalog_file.hpp"
#include "tidewatt/cooling/climate.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

/// Halls, outdoor air and whole days for the tests of OutsideAirPlant.
namespace plant_day {

using namespace tidewatt;
using namespace tidewatt::cooling;

inline constexpr Tick minute = 60 * ns_per_s;
inline double K(double degC) { return degC + 273.15; }

inline OutsideAirParams catalog_plant() { return catalog_file<OutsideAirParams>("plant/outside_air_evaporative.toml"); }

// No heat through the containment: the balances below are then closed forms.
inline OutsideAirParams tight_plant() {
  OutsideAirParams p = catalog_plant();
  p.metal_cold_W_per_K = 0.0;
  return p;
}

inline WeatherSample air(double t_degC, double rh, double p_Pa = 1e5) {
  const double W = humidity_ratio_from_relative_humidity(K(t_degC), rh, p_Pa);
  return {K(t_degC), W, wet_bulb_K(K(t_degC), W, p_Pa), p_Pa};
}

inline PlantInput load(const WeatherSample& outdoor, double it_W = 1e6, double flow = 60.0) {
  return {it_W, flow, outdoor};
}

// Runs at constant input until nothing moves.
inline PlantStep settled(const OutsideAirPlant& plant, const PlantInput& input) {
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, input, 0);
  PlantStep s;
  for (Tick t = 0; t < 12 * 60; ++t) s = plant.advance(state, input, t * minute, (t + 1) * minute, *workspace);
  return s;
}

inline double closure(const PlantStep& s) {
  return std::abs(s.heat_in_J + s.fan_J - s.heat_out_J - s.stored_change_J) / (s.heat_in_J + s.fan_J);
}

struct DayTotals {
  double in_J = 0, fan_J = 0, out_J = 0, stored_J = 0, water_kg = 0, electric_J = 0, min_K = 1e9, max_K = 0, worst = 0;
  std::vector<double> supply_K;
  double closure() const { return std::abs(in_J + fan_J - out_J - stored_J) / (in_J + fan_J); }
  double pue() const { return 1.0 + electric_J / in_J; }
};

inline DayTotals day(const OutsideAirPlant& plant, const Weather& weather, Tick step = minute, std::uint64_t seed = 0,
                     double it_W = 1e6) {
  DayTotals d;
  auto workspace = plant.make_workspace();
  std::vector<double> state(plant.n_state());
  plant.initialise(state, load(weather.at(0), it_W, 60e-6 * it_W), 0);
  for (Tick t = 0; t < ns_per_day; t += step) {
    const double share =
        seed ? 0.3 + 0.7 * random::uniform(seed, random::Purpose::weather, 1, static_cast<std::uint64_t>(t / step))
             : 1.0;
    const auto s = plant.advance(state, load(weather.mean(t, t + step), it_W * share, it_W * (20e-6 + 40e-6 * share)),
                                 t, t + step, *workspace);
    d.in_J += s.heat_in_J, d.fan_J += s.fan_J, d.out_J += s.heat_out_J, d.stored_J += s.stored_change_J;
    d.water_kg += s.water_kg;
    d.electric_J += s.fan_J + s.other_electric_W * seconds(step);
    d.min_K = std::min(d.min_K, s.supply_mean_K), d.max_K = std::max(d.max_K, s.supply_mean_K);
    d.worst = std::max(d.worst, closure(s));
    d.supply_K.push_back(s.supply_mean_K);
  }
  return d;
}

inline Weather climate_day(const std::string& name, int month, ClimateDay kind) {
  return climate_weather(catalog_file<ClimateParams>("climate/" + name + ".toml"), month, kind);
}

}  // namespace plant_day
