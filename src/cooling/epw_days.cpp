#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "epw.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

struct Day {
  MonthDay date;
  double mean_K = 0.0, max_K = 0.0, range_K = 0.0;
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
    days.push_back({{year.hours[i].month, year.hours[i].day}, sum / static_cast<double>(n), hi, hi - lo});
    i += n;
  }
  return days;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
}

MonthDay typical_day(const EpwYear& year, std::vector<Day> days) {
  const int warmest = year.latitude_deg >= 0.0 ? 7 : 1;
  std::vector<Day> month;
  std::copy_if(days.begin(), days.end(), std::back_inserter(month),
               [&](const Day& d) { return d.date.month == warmest; });
  if (month.empty()) month = std::move(days);  // a part of a year without that month
  std::vector<double> means, ranges;
  for (const Day& d : month) means.push_back(d.mean_K), ranges.push_back(d.range_K);
  const double mean = median(means), range = median(ranges);
  const auto off = [&](const Day& d) { return std::abs(d.mean_K - mean) + std::abs(d.range_K - range); };
  return std::min_element(month.begin(), month.end(), [&](const Day& a, const Day& b) { return off(a) < off(b); })
      ->date;
}

}  // namespace

MonthDay pick_day(const EpwYear& year, DayKind kind) {
  std::vector<Day> days = whole_days(year);
  if (days.empty()) throw InputError(fmt::format("{}: no whole day to pick", year.place));
  if (kind == DayKind::typical) return typical_day(year, std::move(days));
  std::stable_sort(days.begin(), days.end(), [](const Day& a, const Day& b) { return a.max_K > b.max_K; });
  if (kind == DayKind::extreme) return days.front().date;
  const std::size_t hottest = std::max<std::size_t>(1, days.size() / 20);
  return std::max_element(days.begin(), days.begin() + static_cast<std::ptrdiff_t>(hottest),
                          [](const Day& a, const Day& b) { return a.range_K < b.range_K; })
      ->date;
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

}  // namespace TIDEWATT_NAMESPACE::cooling
