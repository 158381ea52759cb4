#include "tidewatt/sim/economics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/calendar.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double minute_s = 60.0, month_s = 365.25 / 12.0 * 86400.0;

/// Energy charge of some minutes, the last one at its length.
double energy_USD(const mitigation::TariffParams& tariff, std::span<const double> W, mitigation::CalendarStart at) {
  auto by_minute = tariff;
  by_minute.demand_window_s = minute_s;
  return mitigation::bill(by_minute, W, at).energy_USD;
}

double largest_mean_W(std::span<const double> W, double window_s) {
  const auto n = static_cast<std::size_t>(std::max(1.0, std::round(window_s / minute_s)));
  double largest = 0.0;
  for (std::size_t i = 0; i < W.size(); i += n) {
    const std::size_t count = std::min(n, W.size() - i);
    if (count < n && i > 0) break;
    CompensatedSum sum;
    for (std::size_t k = i; k < i + count; ++k) sum.add(W[k]);
    largest = std::max(largest, sum.value() / static_cast<double>(count));
  }
  return largest;
}

}  // namespace

mitigation::CalendarStart calendar_start(const std::string& start) {
  int y = 0, m = 0, d = 0, h = 0;
  if (std::sscanf(start.c_str(), "%4d-%2d-%2dT%2d", &y, &m, &d, &h) != 4 || m < 1 || m > 12)
    throw InputError(Finding{{}, "run.start", "'" + start + "' is not a time YYYY-MM-DDThh:00:00"});
  return {static_cast<double>(h), calendar::weekday_of(calendar::days_since_1970(y, m, d))};
}

RunCost run_cost(const EconomicsParams& prices, const mitigation::TariffParams& tariff, const MinuteMeans& minutes,
                 mitigation::CalendarStart start, double site_water_m3) {
  RunCost out;
  if (minutes.mean_W.empty()) return out;
  auto W = minutes.mean_W;
  out.peak_W = largest_mean_W(W, tariff.demand_window_s);
  W.back() *= minutes.last_s / minute_s;  // its energy, as a whole minute's mean
  const double elapsed_s = minute_s * static_cast<double>(W.size() - 1) + minutes.last_s;
  CompensatedSum USD, kg, m3;
  for (std::size_t i = 0; i < W.size(); i += 60) {
    const auto hour = std::span<const double>(W).subspan(i, std::min<std::size_t>(60, W.size() - i));
    const double at_h = start.hour + static_cast<double>(i) / 60.0, days = std::floor(at_h / 24.0);
    const mitigation::CalendarStart at{at_h - 24.0 * days, (start.weekday + static_cast<std::int64_t>(days)) % 7};
    const auto f = mitigation::footprint(prices.footprint, hour, minute_s, at);
    CompensatedSum J;
    for (const double w : hour) J.add(w * minute_s);
    out.hour_J.push_back(J.value());
    out.hour_USD.push_back(energy_USD(tariff, hour, at));
    out.hour_kg.push_back(f.carbon_kg);
    USD.add(out.hour_USD.back());
    kg.add(f.carbon_kg);
    m3.add(f.water_m3);
  }
  const double months = elapsed_s / month_s;
  out.energy_USD = USD.value();
  out.carbon_kg = kg.value();
  out.water_m3 = m3.value() + site_water_m3;
  out.water_USD = tariff.water_USD_per_m3 * site_water_m3;
  out.demand_USD = tariff.demand_USD_per_W * out.peak_W * months;
  out.fixed_USD = tariff.fixed_USD * months;
  out.devices_USD = prices.devices_USD_per_year * elapsed_s / (12.0 * month_s);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
