#pragma once
// The Gregorian calendar of local standard time, on std::chrono: without zones, daylight saving or leap seconds.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::calendar {

/// Of years whose days are generated or taken from a typical year: 365 days.
inline constexpr int common_year = 2023;
/// One with 29 February.
inline constexpr int leap_year = 2024;

/// A date, valid or not: see its ok().
inline std::chrono::year_month_day date(int year, int month, int day) {
  return std::chrono::year{year} / std::chrono::month{static_cast<unsigned>(month)} /
         std::chrono::day{static_cast<unsigned>(day)};
}
/// Days of a month. @param month 1 to 12
inline int days_in(int year, int month) {
  const auto last = std::chrono::year{year} / std::chrono::month{static_cast<unsigned>(month)} / std::chrono::last;
  return static_cast<int>(static_cast<unsigned>(last.day()));
}
/// Days since 1 January 1970. @param month 1 to 12  @param day beyond the month's end: of the next
inline std::int64_t days_since_1970(int year, int month, int day) {
  return std::chrono::sys_days{date(year, month, day)}.time_since_epoch().count();
}
/// Date of a day, `days` after 1 January 1970.
inline std::chrono::year_month_day date_of(std::int64_t days) { return std::chrono::sys_days{std::chrono::days{days}}; }
/// 1 to 12, of a day after 1 January 1970.
inline int month_of(std::int64_t days) { return static_cast<int>(static_cast<unsigned>(date_of(days).month())); }
/// Monday 0 to Sunday 6.
inline int weekday_of(std::int64_t days) {
  return static_cast<int>(std::chrono::weekday{std::chrono::sys_days{std::chrono::days{days}}}.iso_encoding()) - 1;
}
/// YYYY-MM-DD.
inline std::string text_of(std::int64_t days) {
  const auto d = date_of(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()), static_cast<unsigned>(d.month()),
                     static_cast<unsigned>(d.day()));
}

}  // namespace TIDEWATT_NAMESPACE::calendar
