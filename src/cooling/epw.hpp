#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// One record of an EPW file. Its value applies to the end of its interval, local standard time: the file's hours run from
/// 1 to 24, and `part` counts the records within an hour from 1.
struct EpwHour {
  int month = 0, day = 0, hour = 0, part = 1;
  WeatherSample air;
  int year = 0;  ///< as written
};

/// A year (or part of one, or several) as a file holds it, hourly or finer. The calendar is month, day and hour: each month of a
/// typical year comes from another calendar year, so the file's years count only where a date is there more than once.
struct EpwYear {
  std::string place, source;  ///< city with state and country; data set named in the file
  double latitude_deg = 0.0, longitude_deg = 0.0, utc_offset_s = 0.0, altitude_m = 0.0;
  int per_hour = 1;         ///< records in an hour
  bool whole_year = false;  ///< ends where it begins, so it repeats
  std::vector<EpwHour> hours;
  std::vector<std::string> notes;
};

/// Reads the text of an EPW file: 8 header lines, then one line per record: one per hour, or as many as the header says (a divisor of
/// 60), whose minute then counts. Records have 10 to 35 fields, the same number in each; those behind the pressure are not used.
/// Strict: wrong header, field count, number, range or order of hours, a truncated file and a gap of more than 6 h in a needed field are findings,
/// all reported at once (20 at most, then a count). 99.9, 999 and 999999 are missing, never numbers; gaps of up to 6 h
/// are filled along a straight line and noted. A missing dew point is taken from the relative humidity. A dew point up
/// to 1 K above the dry bulb (rounding, fog) counts as saturated and is noted.
/// @throws InputError
EpwYear parse_epw(std::string_view text, const std::string& file);
/// @throws InputError also if the file is missing or larger than 64 MiB
EpwYear read_epw(const std::string& path);
/// Whether a file is to be read as EPW: it begins as one, or its name ends with .epw.
bool is_epw(const std::string& path);
/// What to do with a file that is neither EPW nor the product's CSV, for the end of a finding.
inline constexpr std::string_view other_weather =
    "; for files of Open-Meteo, PVGIS or NSRDB: tidewatt import weather FILE -o weather.csv";

enum class DayKind {
  typical,    ///< the day of the warmest month whose mean and range are closest to that month's medians
  hot_clear,  ///< of the hottest twentieth of all days (by maximum), the one with the largest daily range
  extreme     ///< the day of the highest dry bulb
};
struct MonthDay {
  int month = 0, day = 0;
};
/// "typical" means July north of the equator and January south of it, if the file has that month.
/// @throws InputError if the file has no whole day
MonthDay pick_day(const EpwYear& year, DayKind kind);

/// The file as weather of a run that starts at `month`, `day`, `hour` local standard time; a whole year repeats.
/// @param hour 0 to 23 @throws InputError if the file does not have that day
Weather epw_weather(const EpwYear& year, MonthDay start, int hour);
/// The same along the calendar from a date on: every day has the air of its month and day, of its own year where the file has that day
/// of several years. On 29 February a file without that day gives 28 February once more, with a note; in a common year that day of a
/// file is left out. A whole year repeats after a year; another file ends with its last day, or at the first day that it does not have.
/// @param calendar_year of the start  @param hour 0 to 23 @throws InputError if the file does not have that day
Weather epw_weather(const EpwYear& year, int calendar_year, MonthDay start, int hour);
/// Whether the file has that day of any year.
bool has_day(const EpwYear& year, MonthDay day);

}  // namespace TIDEWATT_NAMESPACE::cooling
