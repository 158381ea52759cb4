#include "site_weather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/calendar.hpp"
#include "cooling/climate_year.hpp"
#include "cooling/epw.hpp"
#include "cooling/weather_csv.hpp"
#include "tidewatt/cooling/climate.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

struct Start {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

/// Digits where the pattern has 0, its other characters where it has them.
bool has_shape(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char p) { return p == '0' ? c >= '0' && c <= '9' : c == p; });
}

Start parse_start(const std::string& text) {
  Start s;
  char tail = 0;
  const int n = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%c", &s.year, &s.month, &s.day, &s.hour, &s.minute,
                            &s.second, &tail);
  if (n != 6 || !has_shape(text, "0000-00-00T00:00:00") || s.month < 1 || s.month > 12 || s.day < 1 ||
      s.day > calendar::days_in(s.year, s.month) || s.hour < 0 || s.hour > 23 || s.minute != 0 || s.second != 0)
    throw InputError(
        Finding{{},
                "run.start",
                fmt::format("'{}' is not a date YYYY-MM-DD or a time YYYY-MM-DDThh:00:00 (on the hour)", text)});
  return s;
}

cooling::DayKind kind_of(WeatherDay day) {
  return day == WeatherDay::extreme     ? cooling::DayKind::extreme
         : day == WeatherDay::hot_clear ? cooling::DayKind::hot_clear
                                        : cooling::DayKind::typical;
}

std::string month_day(int month, int day) { return fmt::format("{:02}-{:02}", month, day); }

SiteWeather of_csv(const WeatherParams& w, const std::string& run_start, const Start& s) {
  const auto file = cooling::read_csv_weather(w.csv, w.altitude_m);
  if (w.day == WeatherDay::dated) return {cooling::csv_weather(file, run_start), {{}, run_start.substr(0, 10), {}}};
  const Tick midnight_min = cooling::pick_day_min(file, kind_of(w.day));
  return {cooling::csv_weather(file, midnight_min + Tick{60} * s.hour), {{}, cooling::date_text(midnight_min), {}}};
}

SiteWeather of_epw(const WeatherParams& w, const Start& s) {
  const auto year = cooling::read_epw(w.epw);
  if (w.day == WeatherDay::dated) {
    const bool as_28 = s.month == 2 && s.day == 29 && !cooling::has_day(year, {2, 29});
    return {cooling::epw_weather(year, s.year, {s.month, s.day}, s.hour),
            {{}, month_day(s.month, as_28 ? 28 : s.day), {}}};
  }
  const auto day = cooling::pick_day(year, kind_of(w.day));
  return {cooling::epw_weather(year, day, s.hour), {{}, month_day(day.month, day.day), {}}};
}

SiteWeather of_climate(const Scenario& scenario, const Start& s) {
  using enum WeatherDay;
  const auto day = scenario.weather.day;
  const auto kind = day == hot || day == hot_year           ? cooling::ClimateDay::hot
                    : day == extreme || day == extreme_year ? cooling::ClimateDay::extreme
                                                            : cooling::ClimateDay::typical;
  if (!is_year(day))
    return {cooling::climate_weather(*scenario.climate, s.month, kind, s.hour),
            {{}, fmt::format("{:02}", s.month), {}}};
  Tick start = local_time_of_day(scenario.run.start) + (s.day - 1) * cooling::ns_per_day;
  start += (calendar::days_since_1970(calendar::common_year, s.month, 1) -
            calendar::days_since_1970(calendar::common_year, 1, 1)) *
           cooling::ns_per_day;                   // the generated year
  const bool leap = s.month == 2 && s.day == 29;  // goes on with 1 March
  return {cooling::climate_year(*scenario.climate, kind, static_cast<std::uint64_t>(scenario.run.seed), 0.65, start),
          {{}, leap ? month_day(3, 1) : month_day(s.month, s.day), {}}};
}

}  // namespace

std::string whole_start(const std::string& start) {
  if (has_shape(start, "0000-00-00")) return start + "T00:00:00";
  return has_shape(start, "0000-00-00T00:00") ? start + ":00" : start;
}

Tick local_time_of_day(const std::string& start) {
  const Start s = parse_start(start);
  return ((Tick{s.hour} * 60 + s.minute) * 60 + s.second) * ns_per_s;
}

std::string outside_calendar(const RunParams& run) {
  namespace ch = std::chrono;
  const Start s = parse_start(run.start);
  const ch::sys_days day = calendar::date(s.year, s.month, s.day);
  const ch::sys_time<ch::hours> begin = day + ch::hours(s.hour);
  const auto end = begin + ch::hours(static_cast<std::int64_t>(std::ceil(run.duration_s / 3600.0)));
  constexpr ch::sys_days first = ch::year(1678) / 1 / 1, last = ch::year(2262) / 4 / 11;
  if (begin >= first && end <= last) return {};
  return fmt::format(
      "'{}' is outside 1678 to 2262: a run must lie between 1678-01-01 and 2262-04-11, which times in "
      "nanoseconds can hold",
      run.start);
}

SiteWeather site_weather(const Scenario& scenario) {
  const Start s = parse_start(scenario.run.start);
  const auto& w = scenario.weather;
  SiteWeather out = !w.csv.empty()   ? of_csv(w, scenario.run.start, s)
                    : !w.epw.empty() ? of_epw(w, s)
                                     : of_climate(scenario, s);
  const auto& file = w.csv.empty() ? w.epw : w.csv;
  out.from.file = file.empty() ? "climate/" + w.climate : std::filesystem::path(file).filename().string();
  out.from.kind = word_of(w.day);
  return out;
}

std::string WeatherOrigin::text() const {
  static constexpr std::array months = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
  const bool climate = file.starts_with("climate/");
  const std::string of_year = day.size() == 10 ? day.substr(5) : day;
  std::string date = months.at(static_cast<std::size_t>(std::stoi(of_year.substr(0, 2)) - 1));
  if (of_year.size() == 5) date = fmt::format("{} {}", std::stoi(of_year.substr(3)), date);
  if (day.size() == 10) date += " " + day.substr(0, 4);
  if (kind == "dated") return fmt::format("{} of {}, as dated", date, file);
  std::string words = kind == "hot_clear" ? "hot clear" : kind;
  if (words.ends_with("_year"))
    return fmt::format("{} in the generated {} year of {}", date, words.substr(0, words.size() - 5), file);
  const char* article = words.starts_with('e') ? "an" : "a";
  if (climate) return fmt::format("{} {} day in {}, of {}", article, words, date, file);
  return fmt::format("{} of {}, {} {} day of that file", date, file, article, words);
}

}  // namespace TIDEWATT_NAMESPACE::sim
