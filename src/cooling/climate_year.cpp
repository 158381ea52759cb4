#include "climate_year.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/calendar.hpp"
#include "base/random.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

constexpr std::size_t n_day = 365;

struct Day {
  std::size_t month = 0;
  double departure = 0.0;  // AR(1), standard normal, then made exact over its month
};

// Within each month the departures are shifted and scaled to mean 0 and variance 1, so that the month's mean is the
// climate's whatever the seed.
std::vector<Day> days_of(std::uint64_t seed, double persistence) {
  std::vector<Day> days;
  double x = random::normal(seed, random::Purpose::weather, 0);
  const double innovation = std::sqrt(1.0 - persistence * persistence);
  for (std::size_t m = 0; m < 12; ++m)
    for (int d = 0; d < calendar::days_in(calendar::common_year, static_cast<int>(m) + 1); ++d) {
      days.push_back({m, x});
      x = persistence * x + innovation * random::normal(seed, random::Purpose::weather, 1 + days.size());
    }
  for (std::size_t begin = 0; begin < n_day;) {
    std::size_t end = begin;
    double mean = 0.0, square = 0.0;
    while (end < n_day && days[end].month == days[begin].month) mean += days[end++].departure;
    const double n = static_cast<double>(end - begin);
    mean /= n;
    for (std::size_t i = begin; i < end; ++i) square += (days[i].departure - mean) * (days[i].departure - mean);
    const double spread = std::sqrt(square / n);
    for (std::size_t i = begin; i < end; ++i) days[i].departure = (days[i].departure - mean) / spread;
    begin = end;
  }
  return days;
}

// The year's own character: a typical one keeps the means; a hot one is warmer by half of what its hot days are above
// typical ones in spread; an extreme one has, on its warmest day of each month, the month's extreme.
struct MonthShape {
  double mean_K, range_K, sd_K, wetbulb_depression_K;
};

MonthShape month_shape(const ClimateParams& c, std::size_t m, ClimateDay kind, double mean_frac) {
  const double mean = c.typical_drybulb_K[m], range = c.typical_range_K[m];
  // 1 % of the hours lie above hot_max: about the maxima of one day in fourteen, 1.5 standard deviations.
  const double hot_mean = c.hot_min_K[m] + mean_frac * (c.hot_max_K[m] - c.hot_min_K[m]);
  const double sd = std::max((hot_mean - mean) / 1.5, 0.5);
  const double depression = std::max(mean - c.typical_wetbulb_K[m], 0.0);
  if (kind == ClimateDay::hot) return {mean + 0.5 * sd, range, sd, depression};
  return {mean, range, sd, depression};
}

}  // namespace

Weather climate_year(const ClimateParams& climate, ClimateDay kind, std::uint64_t seed, double persistence,
                     Tick start) {
  check_climate(climate);
  if (!(persistence >= 0.0 && persistence < 1.0))
    throw InputError(fmt::format("climate year: a persistence of {} is outside 0 to 1", persistence));
  if (start < 0 || start >= 365 * ns_per_day)
    throw InputError(fmt::format("climate year: a start of {} s is outside the year", seconds(start)));
  const DiurnalShape diurnal(climate.low_s, climate.high_s);
  std::array<double, 24> frac{};
  double mean_frac = 0.0;
  for (std::size_t h = 0; h < 24; ++h) {
    frac[h] = diurnal.at(static_cast<Tick>(h) * ns_per_hour);
    mean_frac += frac[h] / 24.0;
  }
  const auto days = days_of(seed, persistence);
  std::array<double, 12> warmest{};
  for (const Day& d : days) warmest[d.month] = std::max(warmest[d.month], d.departure);

  WeatherSeries series;
  std::size_t saturated = 0;
  for (const Day& d : days) {
    const MonthShape shape = month_shape(climate, d.month, kind, mean_frac);
    double mean = shape.mean_K + d.departure * shape.sd_K, range = shape.range_K;
    double wetbulb = mean - shape.wetbulb_depression_K, humid_at = mean;
    if (kind == ClimateDay::extreme && d.departure == warmest[d.month]) {
      range = climate.extreme_max_K[d.month] - climate.extreme_min_K[d.month];
      mean = climate.extreme_min_K[d.month] + mean_frac * range;
      wetbulb = climate.extreme_wetbulb_K[d.month];
      humid_at = climate.extreme_max_K[d.month];
    }
    const double pressure = climate.pressure_Pa[d.month];
    const double humidity = std::max(humidity_ratio_from_wet_bulb(humid_at, wetbulb, pressure), 1e-5);
    for (const double f : frac) {
      const double T = mean + (f - mean_frac) * range, most = saturated_humidity_ratio(T, pressure);
      saturated += most < humidity ? 1u : 0u;
      const double W = std::min(humidity, most);
      series.knots.push_back({T, W, wet_bulb_K(T, W, pressure), pressure});
    }
  }
  if (saturated > 0)
    series.notes.push_back(fmt::format("humidity held at saturation for {} hours of the year", saturated));
  series.step_ns = ns_per_hour;
  series.first_ns = -start;
  series.local_at_start_ns = start % ns_per_day;
  series.periodic = true;
  series.source = fmt::format("generated year of {}, seed {}", climate.place, seed);
  return Weather(std::move(series));
}

Weather climate_year(const ClimateParams& climate, ClimateDay kind, std::uint64_t seed, double persistence) {
  return climate_year(climate, kind, seed, persistence, 0);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
