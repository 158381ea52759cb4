#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/cooling/plant_year.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A catalog plant under a year's weather and a constant load.
struct PlantAloneOptions {
  std::string plant;                    ///< catalog name
  std::string climate = "portland_or";  ///< catalog name
  std::string weather_epw;              ///< EPW or CSV file; wins over the climate
  std::string year = "typical";         ///< of the climate: typical, hot or extreme
  std::string catalog_overlay;
  double it_W = 1e7;        ///< IT heat that the plant is built for, W
  double load_frac = 0.8;   ///< share of it that runs, 0.01 to 1
  double days = 365.0;      ///< from 1 January on, 0.01 to 366
  double step_s = 600.0;    ///< macro step, 1 to 3600 s
  std::int64_t seed = 1;    ///< of the climate's days, 0 or more
  double altitude_m = 0.0;  ///< of a CSV file without pressures, -500 to 9,000 m
};

struct PlantAlone {
  PlantAloneOptions options;
  std::string weather;  ///< where the weather comes from
  cooling::PlantYear year;
  double cpu_s = 0.0;                ///< processor time of the run
  std::vector<std::string> notes{};  ///< values of the weather that were filled in or assumed
};

/// Runs the plant without servers or grid. The servers' air warms by 14 K; cold plates draw as much of the loop's flow as
/// they give of its heat.
/// @throws InputError for an unknown entry, a plant without machines, or an option out of range
PlantAlone run_plant_alone(const PlantAloneOptions& options);

/// A table by month. std::string of plain text, one line per month.
std::string plant_text(const PlantAlone& run);
/// The same as one JSON object on one line.
std::string plant_json(const PlantAlone& run);

}  // namespace TIDEWATT_NAMESPACE::study
