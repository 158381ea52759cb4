#include "catalog_plant.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cooling/epw.hpp"
#include "cooling/weather_csv.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/cooling/climate.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/thermal/air.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

template <class Params>
Params read(Node node) {
  std::erase_if(std::get<Node::Table>(node.value), [](const auto& item) { return item.first == "type"; });
  std::vector<Finding> findings;
  Params out{};
  TableReader r(node, "plant", findings);
  out.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

}  // namespace

CatalogPlant catalog_plant(const catalog::Catalog& catalog, const std::string& name, double it_W) {
  return plant_of(catalog.values("plant", name), name, it_W);
}

CatalogPlant plant_of(const Node& node, const std::string& name, double it_W) {
  const Node* type = node.find("type");
  const std::string kind = type && type->is_text() ? std::get<std::string>(type->value) : "";
  CatalogPlant out;
  if (kind == "hydronic") {
    const auto p = read<cooling::HydronicParams>(node);
    out.liquid_frac = p.liquid_frac;
    out.loop_kg_per_s = p.liquid_frac > 0.0 ? p.loop_flow_kg_per_s * it_W / p.reference_it_W : 0.0;
    out.plant = std::make_unique<cooling::HydronicPlant>(p, it_W);
  } else if (kind == "outside_air") {
    out.plant = std::make_unique<cooling::OutsideAirPlant>(read<cooling::OutsideAirParams>(node), it_W);
  } else {
    throw InputError(
        fmt::format("plant '{}' is of type '{}': only hydronic and outside_air plants have machines", name, kind));
  }
  return out;
}

cooling::PlantInput plant_load(const CatalogPlant& built, double heat_W, double load_frac) {
  constexpr double air_J_per_m3_K = thermal::air_J_per_m3_K(298.15), air_rise_K = 14.0;
  cooling::PlantInput load;
  load.it_heat_W = heat_W * (1.0 - built.liquid_frac);
  load.server_flow_m3_per_s = std::max(load.it_heat_W / (air_J_per_m3_K * air_rise_K), 1e-3);
  load.liquid_heat_W = heat_W * built.liquid_frac;
  load.liquid_flow_kg_per_s = built.loop_kg_per_s * load_frac;
  return load;
}

cooling::Weather catalog_weather(const catalog::Catalog& catalog, const std::string& climate,
                                 const std::string& weather_epw, const std::string& year, std::uint64_t seed,
                                 double altitude_m) {
  // The plant's calendar has 365 days.
  if (!weather_epw.empty() && !cooling::is_epw(weather_epw))
    return cooling::csv_year(cooling::read_csv_weather(weather_epw, altitude_m));
  if (!weather_epw.empty()) return cooling::epw_weather(cooling::read_epw(weather_epw), 2023, {1, 1}, 0);
  if (year != "typical" && year != "hot" && year != "extreme")
    throw InputError(Finding{{}, "year", fmt::format("'{}' is none of typical, hot, extreme", year)});
  const auto kind = year == "hot" ? cooling::ClimateDay::hot
                                  : (year == "extreme" ? cooling::ClimateDay::extreme : cooling::ClimateDay::typical);
  return cooling::climate_year(read<cooling::ClimateParams>(catalog.values("climate", climate)), kind, seed);
}

}  // namespace TIDEWATT_NAMESPACE::study
