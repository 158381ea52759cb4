#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/calendar.hpp"
#include "epw.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "weather_days.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

struct Day {
  MonthDay date;
  DayFigures figures;
};

std::vector<Day> whole_days(const EpwYear& year) {
  std::vector<Day> days;
  const std::size_t n = 24 * static_cast<std::size_t>(year.per_hour);
  for (std::size_t i = 0; i + n <= year.hours.size();) {
    if (year.hours[i].hour != 1 || year.hours[i].part != 1) {
      ++i;
      continue;
    }
    double sum = 0.0, lo = 1e9, hi = 0.0;
    for (std::size_t h = 0; h < n; ++h) {
      const double T = year.hours[i + h].air.drybulb_K;
      sum += T;
      lo = std::min(lo, T);
      hi = std::max(hi, T);
    }
    const int month = year.hours[i].month;
    days.push_back({{month, year.hours[i].day}, {month, sum / static_cast<double>(n), hi, hi - lo}});
    i += n;
  }
  return days;
}

}  // namespace

MonthDay pick_day(const EpwYear& year, DayKind kind) {
  const std::vector<Day> days = whole_days(year);
  if (days.empty()) throw InputError(fmt::format("{}: no whole day to pick", year.place));
  std::vector<DayFigures> figures;
  figures.reserve(days.size());
  for (const Day& d : days) figures.push_back(d.figures);
  return days[pick_day(figures, kind, year.latitude_deg >= 0.0 ? 7 : 1)].date;
}

bool has_day(const EpwYear& year, MonthDay day) {
  return std::any_of(year.hours.begin(), year.hours.end(),
                     [&](const EpwHour& h) { return h.month == day.month && h.day == day.day; });
}

Weather epw_weather(const EpwYear& year, MonthDay start, int hour) {
  if (hour < 0 || hour > 23) throw InputError(fmt::format("weather start hour {} is outside 0 to 23", hour));
  const auto first = std::find_if(year.hours.begin(), year.hours.end(), [&](const EpwHour& h) {
    return h.month == start.month && h.day == start.day && h.hour == 1 && h.part == 1;
  });
  if (first == year.hours.end())
    throw InputError(fmt::format("{} holds no month {} day {}", year.place, start.month, start.day));
  // The start day's first record is stamped with the end of its interval: one interval after midnight.
  const Tick index = static_cast<Tick>(first - year.hours.begin());
  WeatherSeries series;
  for (const EpwHour& h : year.hours) series.knots.push_back(h.air);
  series.step_ns = ns_per_hour / year.per_hour;
  series.first_ns = (1 - index) * series.step_ns - hour * ns_per_hour;
  series.periodic = year.whole_year;
  series.local_at_start_ns = hour * ns_per_hour;
  series.source = fmt::format("{} ({})", year.place, year.source);
  series.notes = year.notes;
  return Weather(std::move(series));
}

Weather epw_weather(const EpwYear& year, int calendar_year, MonthDay start, int hour) {
  if (hour < 0 || hour > 23) throw InputError(fmt::format("weather start hour {} is outside 0 to 23", hour));
  const auto n = 24 * static_cast<std::size_t>(year.per_hour);
  std::multimap<std::pair<int, int>, std::size_t> first_of;  // of each whole day
  for (std::size_t i = 0; i + n <= year.hours.size(); ++i)
    if (year.hours[i].hour == 1 && year.hours[i].part == 1)
      first_of.emplace(std::pair(year.hours[i].month, year.hours[i].day), i);
  bool repeated = false;
  const auto day_of = [&](MonthDay d, int of_year) {  // a file without 29 February gives the day before once more
    auto days = first_of.equal_range({d.month, d.day});
    if (days.first == days.second && d.month == 2 && d.day == 29)
      days = first_of.equal_range({2, 28}), repeated = repeated || days.first != days.second;
    const auto own =
        std::find_if(days.first, days.second, [&](const auto& x) { return year.hours[x.second].year == of_year; });
    return own != days.second ? own : days.first != days.second ? days.first : first_of.end();
  };
  auto day = day_of(start, calendar_year);
  if (day == first_of.end())
    throw InputError(fmt::format("{} ({}) has no month {} day {}: it reaches from month {} day {} to month {} day {}",
                                 year.place, year.source, start.month, start.day, year.hours.front().month,
                                 year.hours.front().day, year.hours.back().month, year.hours.back().day));
  WeatherSeries series;
  series.notes = year.notes;
  series.step_ns = ns_per_hour / year.per_hour;
  series.first_ns = series.step_ns - hour * ns_per_hour;
  if (!year.whole_year) {  // midnight of the first day is the end of the day before
    const bool again = year.hours[day->second].day != start.day;  // 28 February on the 29th
    const bool none = day->second == 0 && !again;
    if (none) series.notes.emplace_back("the file's first midnight has the air of its first record");
    series.knots.push_back(year.hours[again ? day->second + n - 1 : none ? 0 : day->second - 1].air);
    series.first_ns -= series.step_ns;
  }
  // The calendar's days from the start on, a year at most: that repeats.
  MonthDay date = start;
  int at_year = calendar_year;
  do {
    for (std::size_t h = 0; h < n; ++h) series.knots.push_back(year.hours[day->second + h].air);
    if (++date.day > calendar::days_in(at_year, date.month)) {
      date.day = 1;
      if (++date.month > 12) date.month = 1, ++at_year;
    }
    day = day_of(date, at_year);
  } while (day != first_of.end() && !(date.month == start.month && date.day == start.day) &&
           !(at_year > calendar_year && start.month == 2 && start.day == 29 && date.month == 3));
  if (repeated) series.notes.emplace_back("the file has no 29 February: that day has the air of 28 February");
  series.periodic = year.whole_year;
  series.local_at_start_ns = hour * ns_per_hour;
  series.source = fmt::format("{} ({})", year.place, year.source);
  return Weather(std::move(series));
}

}  // namespace TIDEWATT_NAMESPACE::cooling
