#include "tidewatt/mitigation/cost.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {
namespace {

constexpr double hour_s = 3600.0;

void check_hours(const std::vector<double>& v, const char* key) {
  if (v.size() != 24) throw InputError({{}, key, "needs 24 values, one per hour of the day"});
}

struct Hour {
  std::size_t of_day;
  bool weekend;
};

Hour hour_of(double first_hour, std::int64_t weekday, double elapsed_s) {
  const double h = first_hour + elapsed_s / hour_s + 1e-9;
  const double day = std::floor(h / 24.0);
  const std::int64_t d = (weekday + static_cast<std::int64_t>(day)) % 7;
  return {static_cast<std::size_t>(h - 24.0 * day) % 24, d >= 5};
}

void check(CalendarStart s) {
  if (!(s.hour >= 0.0 && s.hour < 24.0) || s.weekday < 0 || s.weekday > 6)
    throw InputError("calendar: the hour must be in [0, 24) and the weekday 0 to 6");
}

}  // namespace

void TariffParams::fields(FieldVisitor& v) {
  v.numbers("price_USD_per_MWh", price_USD_per_J, {-1000, 20000}, "price by hour of a working day, 24 values");
  v.numbers("weekend_USD_per_MWh", weekend_USD_per_J, {-1000, 20000}, "price by hour of a weekend day, 24 values");
  v.number("demand_USD_per_kW", demand_USD_per_W, {0, 1000}, "demand charge per month, on the largest mean");
  v.number("demand_window_min", demand_window_s, {1, 60}, "averaging interval of the demand charge");
  v.number("fixed_USD", fixed_USD, {0, 1e8}, "per month");
  v.number("water_USD_per_m3", water_USD_per_m3, {0, 1000},
           "price of water that the site evaporates, with sewer charge");
}

void FootprintParams::fields(FieldVisitor& v) {
  v.numbers("carbon_kg_per_MWh", carbon_kg_per_J, {0, 2000}, "carbon dioxide of energy by hour of the day, 24 values");
  v.numbers("water_L_per_kWh", water_m3_per_J, {0, 50}, "water used in generation by hour of the day, 24 values");
}

void PriceParams::fields(FieldVisitor& v) {
  v.number("capital_USD_per_kW", capital_USD_per_W, {0, 1e5}, "capital cost of the power rating");
  v.number("capital_USD_per_kWh", capital_USD_per_J, {0, 1e6}, "capital cost of the energy rating");
  v.number("operating_frac", operating_frac, {0, 1}, "yearly operating cost as a fraction of the capital");
  v.number("life_years", years, {0.1, 100}, "life in years, unless wear is faster");
  v.number("interest_frac", interest_frac, {0, 1}, "per year");
}

Bill bill(const TariffParams& t, std::span<const double> mean_W, CalendarStart start) {
  check_hours(t.price_USD_per_J, "price_USD_per_MWh");
  check_hours(t.weekend_USD_per_J, "weekend_USD_per_MWh");
  check(start);
  if (!(t.demand_window_s > 0.0)) throw InputError("tariff: demand_window_min must be positive");
  Bill out;
  CompensatedSum energy_USD, energy_J;
  for (std::size_t i = 0; i < mean_W.size(); ++i) {
    const Hour h = hour_of(start.hour, start.weekday, static_cast<double>(i) * t.demand_window_s);
    const double J = mean_W[i] * t.demand_window_s;
    energy_USD.add(J * (h.weekend ? t.weekend_USD_per_J : t.price_USD_per_J)[h.of_day]);
    energy_J.add(J);
    if (out.peak_window < 0 || mean_W[i] > out.peak_W) {
      out.peak_W = mean_W[i];
      out.peak_window = static_cast<std::int64_t>(i);
    }
  }
  out.energy_USD = energy_USD.value();
  out.energy_J = energy_J.value();
  out.demand_USD = t.demand_USD_per_W * std::max(0.0, out.peak_W);
  out.fixed_USD = t.fixed_USD;
  return out;
}

Footprint footprint(const FootprintParams& p, std::span<const double> mean_W, double window_s, CalendarStart start,
                    double site_water_m3) {
  check_hours(p.carbon_kg_per_J, "carbon_kg_per_MWh");
  check_hours(p.water_m3_per_J, "water_L_per_kWh");
  check(start);
  CompensatedSum carbon_kg, water_m3;
  water_m3.add(site_water_m3);
  for (std::size_t i = 0; i < mean_W.size(); ++i) {
    const Hour h = hour_of(start.hour, start.weekday, static_cast<double>(i) * window_s);
    carbon_kg.add(mean_W[i] * window_s * p.carbon_kg_per_J[h.of_day]);
    water_m3.add(mean_W[i] * window_s * p.water_m3_per_J[h.of_day]);
  }
  return {carbon_kg.value(), water_m3.value()};
}

double annuity_USD(double capital_USD, double interest_frac, double years) {
  if (!(years > 0.0) || !(interest_frac >= 0.0)) throw InputError("annuity: needs a life and interest not negative");
  if (interest_frac == 0.0) return capital_USD / years;
  return capital_USD * interest_frac / (1.0 - math::pow(1.0 + interest_frac, -years));
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
