#include "tidewatt/cooling/plant_year.hpp"

#include <ctime>

#include "hydronic_day.hpp"

using namespace hydronic_day;

namespace {

/// Until the hall's liquid is `rise_K` above what it was, all heat rejection having been lost; `longest` if it never is.
Tick ride_through(const CoolingPlant& plant, std::vector<double> state, PlantInput input, double rise_K, Tick longest) {
  constexpr Tick step = 5 * ns_per_s;
  auto workspace = plant.make_workspace();
  auto before = state;
  const double start_K = plant.advance(before, input, 0, ns_per_s, *workspace).liquid_supply_end_K;
  input.capacity.rejection_frac = 0.0;
  for (Tick t = 0; t < longest; t += step)
    if (plant.advance(state, input, t, t + step, *workspace).liquid_supply_end_K > start_K + rise_K) return t + step;
  return longest;
}

}  // namespace

TEST_CASE("ride-through is what the stored water gives: more tank, more time") {
  HydronicParams params = plant("cdu_dry_cooler");
  const WeatherSample hot = air(30, 0.4);
  Tick last = 0;
  for (const double tank_m3 : {0.0, 10.0, 40.0}) {
    params.facility_tank_m3 = tank_m3;
    const HydronicPlant built(params, 1e6);
    const PlantInput input = hall(params, 1e6, 0.8, hot);
    std::vector<double> state(built.n_state());
    built.initialise(state, input, 0);
    const Tick t = ride_through(built, state, input, 5.0, 4 * ns_per_hour);
    CHECK(t > last);
    CHECK(t < 4 * ns_per_hour);
    // Heat over capacity: 0.8 MW warms the water between the hall and the outside by 5 K in this time at least.
    CHECK(seconds(t) > 0.5 * (params.facility_m3 + tank_m3) * 4.18e6 * 5.0 / 0.8e6);
    last = t;
  }
}

TEST_CASE("a year of weather gives PUE and water by month, within the time budget", "[long]") {
  const HydronicParams params = plant("crah_chilled_water");
  const HydronicPlant built(params, 1e6);
  const Weather weather = climate_year(catalog_file<ClimateParams>("climate/chicago_il.toml"), ClimateDay::typical, 1);
  const std::clock_t start = std::clock();
  const PlantYear year =
      run_plant(built, weather, [&](Tick) { return hall(params, 1e6, 0.8, {}); }, 365 * ns_per_day, 10 * minute);
  const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  WARN("year of ten-minute steps: " << cpu_s << " s CPU, " << 1e6 * cpu_s / 52560 << " us a step; PUE January "
                                    << year.months[0].pue() << ", July " << year.months[6].pue() << ", year "
                                    << year.total.pue() << "; water " << year.total.water_kg_per_kWh() << " kg/kWh");
  CHECK(year.closure_frac < 1e-11);
  CHECK(year.closure_worst_frac < 1e-11);
  CHECK(year.months[6].pue() > year.months[0].pue());
  CHECK(year.months[6].water_kg > year.months[0].water_kg);
  CHECK(year.total.span_s == 365.0 * 86400.0);
  CHECK(year.total.pue() > 1.04);
  CHECK(year.total.pue() < 1.3);
}
