#include "tidewatt/cooling/climate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

struct DayShape {
  double min_K = 0.0, max_K = 0.0;
  double humid_drybulb_K = 0.0, humid_wetbulb_K = 0.0;  // where the wet bulb is given
};

void check(const ClimateParams& c, int month, int start_hour) {
  std::vector<Finding> findings;
  const auto report = [&](std::string_view key, std::string message) {
    findings.push_back({{}, std::string(key), std::move(message)});
  };
  if (month < 1 || month > 12) report("month", fmt::format("{} is outside 1 to 12", month));
  if (start_hour < 0 || start_hour > 23) report("start_hour", fmt::format("{} is outside 0 to 23", start_hour));
  for (const auto* list : {&c.pressure_Pa, &c.typical_drybulb_K, &c.typical_range_K, &c.typical_wetbulb_K, &c.hot_max_K,
                           &c.hot_min_K, &c.hot_wetbulb_K, &c.extreme_max_K, &c.extreme_min_K, &c.extreme_wetbulb_K})
    if (list->size() != 12) report("climate", fmt::format("a list has {} values, a year has 12 months", list->size()));
  if (!findings.empty()) throw InputError(std::move(findings));
}

DayShape shape_of(const ClimateParams& c, std::size_t m, ClimateDay kind, double mean_frac) {
  switch (kind) {
    case ClimateDay::hot:
      return {c.hot_min_K[m], c.hot_max_K[m], c.hot_max_K[m], c.hot_wetbulb_K[m]};
    case ClimateDay::extreme:
      return {c.extreme_min_K[m], c.extreme_max_K[m], c.extreme_max_K[m], c.extreme_wetbulb_K[m]};
    case ClimateDay::typical:
      break;
  }
  const double mean = c.typical_drybulb_K[m], range = c.typical_range_K[m];
  return {mean - mean_frac * range, mean + (1.0 - mean_frac) * range, mean, c.typical_wetbulb_K[m]};
}

}  // namespace

void ClimateParams::fields(FieldVisitor& v) {
  v.text("place", place, "name of the place");
  v.number("latitude_deg", latitude_deg, {-90, 90}, "north positive");
  v.number("longitude_deg", longitude_deg, {-180, 180}, "east positive");
  v.number("altitude_m", altitude_m, {-500, 6000}, "above sea level");
  v.number("utc_offset_h", utc_offset_s, {-12, 14}, "local standard time minus UTC");
  v.number("low_h", low_s, {0, 24}, "local standard time of the coolest moment");
  v.number("high_h", high_s, {0, 24}, "local standard time of the warmest moment");
  v.numbers("pressure_kPa", pressure_Pa, {45, 110}, "mean pressure, by month");
  v.numbers("typical_drybulb_degC", typical_drybulb_K, {-60, 45}, "mean dry bulb, by month");
  v.numbers("typical_range_K", typical_range_K, {0, 35}, "mean daily range of the dry bulb, by month");
  v.numbers("typical_wetbulb_degC", typical_wetbulb_K, {-60, 40}, "mean wet bulb, by month");
  v.numbers("hot_max_degC", hot_max_K, {-60, 60}, "dry bulb that 1 % of the month's hours exceed");
  v.numbers("hot_min_degC", hot_min_K, {-60, 60}, "lowest dry bulb of such a day");
  v.numbers("hot_wetbulb_degC", hot_wetbulb_K, {-60, 40}, "wet bulb that goes with hot_max");
  v.numbers("extreme_max_degC", extreme_max_K, {-60, 60}, "highest dry bulb of the month");
  v.numbers("extreme_min_degC", extreme_min_K, {-60, 60}, "lowest dry bulb of that day");
  v.numbers("extreme_wetbulb_degC", extreme_wetbulb_K, {-60, 40}, "wet bulb at the highest dry bulb");
}

void check_climate(const ClimateParams& c) {
  check(c, 1, 0);
  for (std::size_t m = 0; m < 12; ++m)
    if (!(c.hot_max_K[m] >= c.hot_min_K[m] && c.extreme_max_K[m] >= c.extreme_min_K[m] &&
          c.typical_wetbulb_K[m] <= c.typical_drybulb_K[m] && c.extreme_wetbulb_K[m] <= c.extreme_max_K[m]))
      throw InputError(
          fmt::format("climate of {}, month {}: maximum below minimum, or wet bulb above dry bulb", c.place, m + 1));
}

Weather climate_weather(const ClimateParams& climate, int month, ClimateDay kind, int start_hour) {
  check(climate, month, start_hour);
  const auto m = static_cast<std::size_t>(month - 1);
  const DiurnalShape diurnal(climate.low_s, climate.high_s);
  std::array<double, 24> frac{};
  double mean_frac = 0.0;  // of the knots, so that the straight lines between them keep the tabulated mean
  for (std::size_t h = 0; h < 24; ++h) {
    frac[h] = diurnal.at(static_cast<Tick>(h) * ns_per_hour);
    mean_frac += frac[h] / 24.0;
  }
  const DayShape day = shape_of(climate, m, kind, mean_frac);
  const double pressure = climate.pressure_Pa[m];
  if (!(day.max_K >= day.min_K) || day.humid_wetbulb_K > day.humid_drybulb_K)
    throw InputError(fmt::format("climate of {}, month {}: maximum below minimum, or wet bulb above dry bulb",
                                 climate.place, month));
  const double humidity = humidity_ratio_from_wet_bulb(day.humid_drybulb_K, day.humid_wetbulb_K, pressure);
  if (humidity < 0.0)
    throw InputError(
        fmt::format("climate of {}, month {}: no air is as dry as that wet bulb says", climate.place, month));
  WeatherSeries series;
  std::size_t saturated = 0;
  for (const double f : frac) {
    const double T = day.min_K + f * (day.max_K - day.min_K);
    const double W = std::min(humidity, saturated_humidity_ratio(T, pressure));
    saturated += W < humidity ? 1u : 0u;
    series.knots.push_back({T, W, wet_bulb_K(T, W, pressure), pressure});
  }
  if (saturated > 0)
    series.notes.push_back(fmt::format("humidity held at saturation for {} hours of the day", saturated));
  series.step_ns = ns_per_hour;
  series.first_ns = -start_hour * ns_per_hour;
  series.periodic = true;
  series.local_at_start_ns = start_hour * ns_per_hour;
  series.source = fmt::format("climate of {}, month {}", climate.place, month);
  return Weather(std::move(series));
}

}  // namespace TIDEWATT_NAMESPACE::cooling
