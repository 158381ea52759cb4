// A plant alone through a year of a climate: cooling energy and water by month, without servers or a grid.
//   plant_year [CLIMATE]
#include <cstdio>
#include <tidewatt/base/reader.hpp>
#include <tidewatt/catalog/catalog.hpp>
#include <tidewatt/cooling/climate.hpp>
#include <tidewatt/cooling/outside_air_plant.hpp>
#include <tidewatt/cooling/plant_year.hpp>

namespace {

template <class Params>
Params read(const char* kind, const char* name) {
  const auto entry = tidewatt::catalog::Catalog().values(kind, name);
  const auto* inner = entry.find("outside_air");
  std::vector<tidewatt::Finding> findings;
  tidewatt::TableReader reader(inner ? *inner : entry, name, findings);
  Params params{};
  params.fields(reader);
  if (!findings.empty()) throw tidewatt::InputError(findings);
  return params;
}

}  // namespace

int main(int argc, char** argv) try {
  namespace cooling = tidewatt::cooling;
  const auto climate = read<cooling::ClimateParams>("climate", argc > 1 ? argv[1] : "portland_or");
  const cooling::OutsideAirPlant plant(read<cooling::OutsideAirParams>("plant", "outside_air_evaporative"), 10e6);
  const auto weather = cooling::climate_year(climate, cooling::ClimateDay::typical, 1);
  const auto load = [](tidewatt::Tick) {
    cooling::PlantInput input;
    input.it_heat_W = 9e6;
    input.server_flow_m3_per_s = 600.0;
    return input;
  };
  constexpr tidewatt::Tick hour = 3600 * tidewatt::ns_per_s;
  const auto year = cooling::run_plant(plant, weather, load, 365 * 24 * hour, hour);
  for (std::size_t m = 0; m < 12; ++m)
    std::printf("month %2zu: PUE of cooling %.4f, %.3f kg/kWh, supply up to %.1f degC\n", m + 1, year.months[m].pue(),
                year.months[m].water_kg_per_kWh(), year.months[m].supply_max_K - 273.15);
  std::printf("year: PUE of cooling %.4f, books close to %.0e\n", year.total.pue(), year.closure_frac);
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
