// Figures of the result: costs, emissions, and ageing of transformers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "run_result.hpp"
#include "tidewatt/sim/economics.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double joule_per_MWh = 3.6e9;

using List = std::vector<std::pair<std::string, double>>;

const std::vector<double>& reals(const Result& r, const std::string& path) {
  static const std::vector<double> none;
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<double>>(a.values);
  return none;
}

/// Cost of energy at prices from outside, and energy drawn at the tariff's prices.
struct Priced {
  std::vector<double> hour_USD;
  MinuteMeans rest;
};
Priced priced(const std::vector<Outside::Price>& prices, const MinuteMeans& minutes, Tick end) {
  const Tick minute = to_tick(60.0);
  Priced out{std::vector<double>(minutes.mean_W.size() / 60 + 1, 0.0), minutes};
  for (std::size_t i = 0; i < prices.size(); ++i) {
    if (!prices[i].USD_per_MWh) continue;
    const Tick until = i + 1 < prices.size() ? prices[i + 1].from : end;
    for (Tick at = prices[i].from; at < until;) {
      const auto m = static_cast<std::size_t>(at / minute);
      const Tick stop = std::min(until, static_cast<Tick>(m + 1) * minute);
      if (m >= minutes.mean_W.size()) break;
      const double length_s = m + 1 == minutes.mean_W.size() ? minutes.last_s : 60.0;
      out.hour_USD[m / 60] += minutes.mean_W[m] * seconds(stop - at) * *prices[i].USD_per_MWh / joule_per_MWh;
      out.rest.mean_W[m] -= minutes.mean_W[m] * seconds(stop - at) / length_s;
      at = stop;
    }
  }
  return out;
}

}  // namespace

void add_costs(const Simulation& run, Result& result) {
  const auto& scenario = run.model.scenario;
  const auto& halls = run.halls;
  if (!scenario.economics) return;
  const auto& e = *scenario.economics;
  MinuteMeans minutes{reals(result, "/pyramid_60s/pcc_mean_W"), 60.0};
  if (minutes.mean_W.empty()) return;
  minutes.last_s = seconds(run.model.end) - 60.0 * static_cast<double>(minutes.mean_W.size() - 1);
  const auto start = calendar_start(scenario.run.start);
  const double site_m3 = halls.books().water_kg.value() * 1e-3;
  const auto outside = priced(run.state.outside.prices, minutes, run.model.end);
  const auto cost = [&](const mitigation::TariffParams& t) {
    auto c = run_cost(e, t, minutes, start, site_m3);
    if (run.state.outside.prices.empty()) return c;
    c.hour_USD = run_cost(e, t, outside.rest, start, site_m3).hour_USD;
    for (std::size_t h = 0; h < c.hour_USD.size(); ++h) c.hour_USD[h] += outside.hour_USD[h];
    c.energy_USD = std::accumulate(c.hour_USD.begin(), c.hour_USD.end(), 0.0);
    return c;
  };
  const RunCost c = cost(e.tariff);
  const double trained = tokens(run);
  auto& s = result.summary;
  const auto put = [&](const char* key, Value v) { s.emplace_back(key, std::move(v)); };
  const auto per_T = [&](double x) { return trained > 0.0 ? Value(x * 1e12 / trained) : Value(); };
  put("cost_USD", List{{"energy", c.energy_USD},
                       {"demand", c.demand_USD},
                       {"fixed", c.fixed_USD},
                       {"water", c.water_USD},
                       {"devices", c.devices_USD},
                       {"total", c.total_USD()},
                       {"total_low_prices", cost(e.low).total_USD()},
                       {"total_high_prices", cost(e.high).total_USD()}});
  put("demand_charged_MW", c.peak_W * 1e-6);
  put("carbon_t", c.carbon_kg * 1e-3);
  put("water_m3", List{{"site", site_m3}, {"generation", c.water_m3 - site_m3}});
  put("cost_USD_per_Ttoken", per_T(c.total_USD()));
  put("carbon_t_per_Ttoken", per_T(c.carbon_kg * 1e-3));
  put("water_m3_per_Ttoken", per_T(c.water_m3));
  std::vector<double> hour, MWh;
  for (std::size_t h = 0; h < c.hour_J.size(); ++h) hour.push_back(static_cast<double>(h)), MWh.push_back(c.hour_J[h]);
  result.arrays.push_back(column("/economics/hour", "hour", hour, "h", "hour of the run"));
  result.arrays.push_back(column("/economics/energy_J", "hour", MWh, "J", "energy drawn at the connection"));
  result.arrays.push_back(column("/economics/energy_USD", "hour", c.hour_USD, "1", "energy charge, US dollars"));
  result.arrays.push_back(column("/economics/carbon_kg", "hour", c.hour_kg, "kg", "carbon dioxide of the energy"));
}

void add_transformers(const Simulation& run, Result& result) {
  const auto& transformers = run.connection->transformers();
  if (!transformers.any()) return;
  List hot, lost, rate, above, load, when;
  for (const auto& f : transformers.figures()) {
    hot.emplace_back(f.level, f.hot_spot_max_K - 273.15);
    lost.emplace_back(f.level, f.life_lost_s / 3600.0);
    rate.emplace_back(f.level, f.ageing_ratio);
    above.emplace_back(f.level, f.above_limit_s);
    load.emplace_back(f.level, f.loading_rms_max_frac);
    when.emplace_back(f.level, std::floor((seconds(f.hottest) - 1e-9) / 3600.0));
  }
  auto& s = result.summary;
  s.emplace_back("transformer_hot_spot_max_degC", hot);
  s.emplace_back("transformer_hottest_hour", when);
  s.emplace_back("transformer_life_lost_h", lost);
  s.emplace_back("transformer_ageing_ratio", rate);
  s.emplace_back("transformer_above_limit_s", above);
  s.emplace_back("transformer_loading_rms_max", load);
}

}  // namespace TIDEWATT_NAMESPACE::sim
