#pragma once
// Private to sim: the scenario's weather, and which day of which file it is.
#include <string>

#include "tidewatt/cooling/weather.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Which air a run has at its start.
struct WeatherOrigin {
  std::string file;  ///< its name without folder, or climate/NAME of the catalog
  std::string
      day;  ///< 2023-07-09 of measured weather; 07-09 of an EPW file or a generated year; 07 of a climate: its month
  std::string kind;  ///< the word of WeatherDay
  /// In words: "9 July of place.epw, as dated".
  std::string text() const;
};

struct SiteWeather {
  cooling::Weather weather;
  WeatherOrigin from;
};

/// Air from `run.start` on: of that date where the day is dated or belongs to a year, else of the day that `weather.day` names.
/// @throws InputError if the file cannot be read or lacks the day, or `run.start` is no time
SiteWeather site_weather(const Scenario& scenario);

/// `run.start` as a time: a date begins at midnight. Other text is given back as it is.
std::string whole_start(const std::string& start);

/// Why a run reaches beyond the dates that 64 bits of nanoseconds from 1970 on can hold, as xarray and pandas count them; empty:
/// it does not. @throws InputError if `run.start` is no time
std::string outside_calendar(const RunParams& run);

}  // namespace TIDEWATT_NAMESPACE::sim
