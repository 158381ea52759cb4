#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "epw.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Measured weather as a file holds it: instants in local standard time, evenly spaced.
struct CsvWeather {
  std::string file;
  Tick first_min = 0, step_min = 0;  ///< of the first line, since 1970
  std::vector<WeatherSample> knots;  ///< two at least
  std::vector<std::string> notes;
  Tick last_min() const { return first_min + static_cast<Tick>(knots.size() - 1) * step_min; }
  /// It ends where it begins a year later, so a plant's year may repeat it.
  bool whole_year() const;
};

/// Measured weather as comma-separated values. The first line names the columns; a name is a quantity with its unit:
/// `time` (first; local standard time, 2024-07-01T13:00), one of `drybulb_degC`, `drybulb_degF`; one of
/// `dewpoint_degC`, `dewpoint_degF`, `wetbulb_degC`, `rh_pct`, `rh_frac`; at most one of `pressure_Pa`, `pressure_hPa`
/// (else the standard atmosphere at `altitude_m`, noted). Values are instants, evenly spaced, without gaps. Strict: unknown or doubled columns, text, empty fields, values out of range, moisture above
/// saturation, uneven or backward times and impossible dates are findings, all reported at once (20 at most).
/// @param altitude_m -500 to 9,000
/// @param start local standard time at which the run begins, like those of the file and within them; empty: at the first
/// @throws InputError
Weather parse_weather_csv(std::string_view text, const std::string& file, double altitude_m,
                          std::string_view start = {});
/// The file itself. @throws InputError
CsvWeather parse_csv_weather(std::string_view text, const std::string& file, double altitude_m);
/// @throws InputError also if the file is missing or larger than 64 MiB
CsvWeather read_csv_weather(const std::string& path, double altitude_m);

/// The file as weather of a run that starts at `start`, like its times and within them; empty: at the first. @throws InputError
Weather csv_weather(const CsvWeather& file, std::string_view start = {});
/// The same from an instant on. @param begin_min since 1970 @throws InputError
Weather csv_weather(const CsvWeather& file, Tick begin_min);
/// Midnight of the day of that kind, since 1970: of the days that the file covers from midnight to midnight. A typical day is one of
/// the month with the highest mean. @throws InputError if there is none
Tick pick_day_min(const CsvWeather& file, DayKind kind);
/// A year from the file's first 1 January on; if the file is a whole year, it repeats. @throws InputError if it has no 1 January
Weather csv_year(const CsvWeather& file);
/// As 2024-07-01. @param minute since 1970
std::string date_text(Tick minute);

}  // namespace TIDEWATT_NAMESPACE::cooling
