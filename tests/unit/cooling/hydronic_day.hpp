#pragma once
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "catalog_file.hpp"
#include "plant_day.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"

/// Halls and whole days for the tests of HydronicPlant.
namespace hydronic_day {

using namespace plant_day;

inline HydronicParams plant(const std::string& name) { return catalog_file<HydronicParams>("plant/" + name + ".toml"); }

// A hall at `load` of its rated heat; servers breathe air that warms by 14 K and drink liquid that warms by 9 K.
inline PlantInput hall(const HydronicParams& p, double rated_W, double load, const WeatherSample& outdoor) {
  const double air_W = rated_W * load * (1.0 - p.liquid_frac), liquid_W = rated_W * load * p.liquid_frac;
  PlantInput input{air_W, std::max(air_W / (1.15 * 1006.0 * 14.0), 1e-3), outdoor};
  input.liquid_heat_W = liquid_W;
  input.liquid_flow_kg_per_s = liquid_W / (4000.0 * 9.0);
  if (p.reference_it_W > 2e7) input.liquid_flow_kg_per_s = liquid_W / (4184.0 * 16.0);
  return input;
}

struct Totals {
  double in_J = 0, inside_J = 0, out_J = 0, stored_J = 0, electric_J = 0, water_kg = 0, worst = 0, us_per_step = 0;
  PlantStep last;
  double closure() const { return std::abs(in_J + inside_J - out_J - stored_J) / (in_J + inside_J); }
  double pue() const { return 1.0 + electric_J / in_J; }
};

template <class Input>
Totals run(const CoolingPlant& plant, std::vector<double>& state, Tick begin, Tick end, Input input,
           Tick step = minute) {
  Totals d;
  auto workspace = plant.make_workspace();
  const auto start = std::chrono::steady_clock::now();
  for (Tick t = begin; t < end; t += step) {
    const PlantStep s = plant.advance(state, input(t), t, t + step, *workspace);
    d.in_J += s.heat_in_J, d.inside_J += s.fan_J, d.out_J += s.heat_out_J, d.stored_J += s.stored_change_J;
    d.electric_J += plant_electric_W(s, seconds(step)) * seconds(step);
    d.water_kg += s.water_kg;
    d.worst = std::max(d.worst, closure(s));
    d.last = s;
  }
  d.us_per_step = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
                  static_cast<double>((end - begin) / step);
  return d;
}

}  // namespace hydronic_day
