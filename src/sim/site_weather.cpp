#include <fmt/format.h>

#include <cstdio>

#include "cooling/climate_year.hpp"
#include "cooling/epw.hpp"
#include "cooling/weather_csv.hpp"
#include "simulation.hpp"
#include "tidewatt/cooling/climate.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

struct Start {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

int days_in(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

Start parse_start(const std::string& text) {
  Start s;
  char tail = 0;
  const int n = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%c", &s.year, &s.month, &s.day, &s.hour, &s.minute,
                            &s.second, &tail);
  if (n != 6 || s.month < 1 || s.month > 12 || s.day < 1 || s.day > days_in(s.year, s.month) || s.hour < 0 ||
      s.hour > 23 || s.minute != 0 || s.second != 0)
    throw InputError(
        Finding{{}, "run.start", fmt::format("'{}' is not a time YYYY-MM-DDThh:00:00 (on the hour)", text)});
  return s;
}

}  // namespace

Tick local_time_of_day(const std::string& start) {
  const Start s = parse_start(start);
  return (Tick{s.hour} * 3600 + s.minute * 60 + s.second) * ns_per_s;
}

cooling::Weather make_weather(const Scenario& scenario) {
  const Start s = parse_start(scenario.run.start);
  const auto& w = scenario.weather;
  if (!w.csv.empty()) return cooling::read_weather_csv(w.csv, w.altitude_m, scenario.run.start);
  if (!w.epw.empty()) {
    const auto year = cooling::read_epw(w.epw);
    cooling::MonthDay day{s.month, s.day};
    if (w.day == WeatherDay::hot_clear) day = cooling::pick_day(year, cooling::DayKind::hot_clear);
    if (w.day == WeatherDay::typical) day = cooling::pick_day(year, cooling::DayKind::typical);
    if (w.day == WeatherDay::extreme) day = cooling::pick_day(year, cooling::DayKind::extreme);
    return cooling::epw_weather(year, day, s.hour);
  }
  using enum WeatherDay;
  const auto kind = w.day == hot || w.day == hot_year           ? cooling::ClimateDay::hot
                    : w.day == extreme || w.day == extreme_year ? cooling::ClimateDay::extreme
                                                                : cooling::ClimateDay::typical;
  if (is_year(w.day)) {
    Tick start = local_time_of_day(scenario.run.start) + (s.day - 1) * cooling::ns_per_day;
    for (int m = 1; m < s.month; ++m)
      start += days_in(2023, m) * cooling::ns_per_day;  // the generated year has 365 days
    return cooling::climate_year(*scenario.climate, kind, static_cast<std::uint64_t>(scenario.run.seed), 0.65, start);
  }
  return cooling::climate_weather(*scenario.climate, s.month, kind, s.hour);
}

}  // namespace TIDEWATT_NAMESPACE::sim
