#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tidewatt/base/node.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A catalog plant built for a hall, without the hall.
struct CatalogPlant {
  std::unique_ptr<cooling::CoolingPlant> plant;
  double liquid_frac = 0.0;    ///< share of the heat that it carries in liquid, by design
  double loop_kg_per_s = 0.0;  ///< liquid through all cold plates; 0 in air
};
/// @param name catalog entry of kind plant  @param it_W IT heat that it is built for
/// @throws InputError for an unknown entry or one without machines
CatalogPlant catalog_plant(const catalog::Catalog& catalog, const std::string& name, double it_W);
/// The same from an entry's values. @param name for messages  @throws InputError as catalog_plant
CatalogPlant plant_of(const Node& values, const std::string& name, double it_W);
/// Steady input of a plant under a share of the heat that it is built for: the servers' air warms by 14 K; cold plates draw as much of the loop's
/// flow as they give of its heat.
cooling::PlantInput plant_load(const CatalogPlant& built, double heat_W, double load_frac);

/// A year of outdoor air from 1 January on: an EPW or CSV file's, or a catalog climate's where `weather_epw` is empty.
/// @param year typical, hot or extreme, of the climate  @param seed of the climate's days
/// @param altitude_m of a CSV file without pressures  @throws InputError
cooling::Weather catalog_weather(const catalog::Catalog& catalog, const std::string& climate,
                                 const std::string& weather_epw, const std::string& year, std::uint64_t seed,
                                 double altitude_m = 0.0);

}  // namespace TIDEWATT_NAMESPACE::study
