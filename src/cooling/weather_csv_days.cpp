#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/calendar.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "weather_csv.hpp"
#include "weather_days.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

constexpr Tick day_min = 1440;

Tick next_midnight(Tick minute) { return (minute + day_min - 1) / day_min * day_min; }

DayFigures figures_of(const CsvWeather& file, const Weather& air, Tick midnight) {
  const Tick begin_ns = (midnight - file.first_min) * 60 * ns_per_s;
  double lo = 1e9, hi = 0.0;
  const auto take = [&](Tick at_ns) {
    lo = std::min(lo, air.at(at_ns).drybulb_K), hi = std::max(hi, air.at(at_ns).drybulb_K);
  };
  for (Tick at = 0; at < day_min; at += std::min(file.step_min, Tick{60})) take(begin_ns + at * 60 * ns_per_s);
  return {calendar::month_of(midnight / day_min), air.mean(begin_ns, begin_ns + ns_per_day).drybulb_K, hi, hi - lo};
}

/// The month whose whole days are warmest on average.
int warmest_month(const std::vector<DayFigures>& days) {
  std::array<double, 13> sum_K{}, n{};
  for (const auto& d : days) {
    sum_K.at(static_cast<std::size_t>(d.month)) += d.mean_K;
    n.at(static_cast<std::size_t>(d.month)) += 1.0;
  }
  int best = days.front().month;
  const auto mean_K = [&](int m) { return sum_K.at(static_cast<std::size_t>(m)) / n.at(static_cast<std::size_t>(m)); };
  for (int m = 1; m <= 12; ++m)
    if (n.at(static_cast<std::size_t>(m)) > 0.0 && mean_K(m) > mean_K(best)) best = m;
  return best;
}

}  // namespace

bool CsvWeather::whole_year() const {
  const Tick span = static_cast<Tick>(knots.size()) * step_min;
  return span == 365 * day_min || span == 366 * day_min;
}

Weather csv_weather(const CsvWeather& file, Tick begin_min) {
  WeatherSeries series;
  series.knots = file.knots;
  series.step_ns = file.step_min * 60 * ns_per_s;
  series.first_ns = (file.first_min - begin_min) * 60 * ns_per_s;
  series.local_at_start_ns = begin_min % day_min * 60 * ns_per_s;
  series.source = file.file;
  series.notes = file.notes;
  return Weather(std::move(series));
}

Tick pick_day_min(const CsvWeather& file, DayKind kind) {
  const Weather air = csv_weather(file, file.first_min);
  const Tick first = next_midnight(file.first_min);
  std::vector<DayFigures> days;
  for (Tick day = first; day + day_min <= file.last_min(); day += day_min) days.push_back(figures_of(file, air, day));
  if (days.empty()) throw InputError(Finding{{file.file, 1, 1}, "time", "no whole day, from midnight to midnight"});
  return first + static_cast<Tick>(pick_day(days, kind, warmest_month(days))) * day_min;
}

Weather csv_year(const CsvWeather& file) {
  Tick begin = next_midnight(file.first_min);
  while (begin <= file.last_min() && !date_text(begin).ends_with("-01-01")) begin += day_min;
  if (begin > file.last_min())
    throw InputError(Finding{{file.file, 1, 1},
                             "time",
                             fmt::format("a year begins on 1 January, and the file reaches from {} to {}",
                                         date_text(file.first_min), date_text(file.last_min()))});
  if (!file.whole_year()) return csv_weather(file, begin);
  WeatherSeries series;
  series.knots = file.knots;
  series.step_ns = file.step_min * 60 * ns_per_s;
  series.first_ns = (file.first_min - begin) * 60 * ns_per_s;
  series.periodic = true;
  series.source = file.file;
  series.notes = file.notes;
  return Weather(std::move(series));
}

}  // namespace TIDEWATT_NAMESPACE::cooling
