#include "plant_alone.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "catalog_plant.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Every option out of its range, at once.
void check(const PlantAloneOptions& o) {
  std::vector<Finding> findings;
  const auto range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  };
  range("it_W", o.it_W, 1e3, 1e10);
  range("load_frac", o.load_frac, 0.01, 1.0);
  range("days", o.days, 0.01, 366.0);
  range("step_s", o.step_s, 1.0, 3600.0);
  range("altitude_m", o.altitude_m, -500.0, 9000.0);
  range("seed", static_cast<double>(o.seed), 0.0, 9e18);
  if (o.year != "typical" && o.year != "hot" && o.year != "extreme")
    findings.push_back({{}, "year", fmt::format("'{}' is none of typical, hot, extreme", o.year)});
  if (!findings.empty()) throw InputError(std::move(findings));
}

nlohmann::ordered_json figures(const cooling::PlantMonth& m) {
  const bool liquid = m.liquid_supply_max_K > 0.0;
  return {{"pue", m.pue()},
          {"water_L_per_kWh", m.water_kg_per_kWh()},
          {"water_m3", m.water_kg * 1e-3},
          {"heat_reused_MWh", m.reuse_J / 3.6e9},
          {"supply_max_degC", m.supply_max_K - 273.15},
          {"liquid_supply_max_degC",
           liquid ? nlohmann::ordered_json(m.liquid_supply_max_K - 273.15) : nlohmann::ordered_json()},
          {"capacity_margin_min_percent", 100.0 * m.capacity_margin_min_frac}};
}

}  // namespace

PlantAlone run_plant_alone(const PlantAloneOptions& options) {
  check(options);
  const catalog::Catalog catalog(options.catalog_overlay);
  const CatalogPlant built = catalog_plant(catalog, options.plant, options.it_W);
  const cooling::PlantInput load = plant_load(built, options.it_W * options.load_frac, options.load_frac);
  const auto weather = catalog_weather(catalog, options.climate, options.weather_epw, options.year,
                                       static_cast<std::uint64_t>(options.seed), options.altitude_m);
  const std::clock_t start = std::clock();
  PlantAlone out{options, weather.source(), {}, 0.0, weather.notes()};
  out.year = cooling::run_plant(
      *built.plant, weather, [&](Tick) { return load; }, to_tick(options.days * 86400.0), to_tick(options.step_s));
  out.cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return out;
}

std::string plant_text(const PlantAlone& run) {
  static constexpr std::array names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto& o = run.options;
  std::string out =
      fmt::format("{} at {:g} MW, load {:.0f} %, {}\n", o.plant, o.it_W * 1e-6, 100.0 * o.load_frac, run.weather);
  out +=
      fmt::format("{:<6} {:>7} {:>9} {:>9} {:>11} {:>9}\n", "", "PUE", "L/kWh", "water m3", "supply degC", "margin %");
  const auto line = [&](const char* name, const cooling::PlantMonth& m) {
    out += fmt::format("{:<6} {:>7.4f} {:>9.3f} {:>9.0f} {:>11.1f} {:>9.1f}\n", name, m.pue(), m.water_kg_per_kWh(),
                       m.water_kg * 1e-3, m.supply_max_K - 273.15, 100.0 * m.capacity_margin_min_frac);
  };
  for (std::size_t i = 0; i < names.size(); ++i)
    if (run.year.months[i].span_s > 0.0) line(names[i], run.year.months[i]);
  line("all", run.year.total);
  for (const auto& note : run.notes) out += fmt::format("weather: {}\n", note);
  out += "PUE: of servers and cooling alone; a run adds the losses of transformers, feeder and supplies.\n";
  return out +
         fmt::format("energy balance within {:.1e} in every step; {:.2f} s of processor time, {:.0f} times real time\n",
                     run.year.closure_worst_frac, run.cpu_s, o.days * 86400.0 / run.cpu_s);
}

std::string plant_json(const PlantAlone& run) {
  const auto& o = run.options;
  nlohmann::ordered_json out{{"plant", o.plant},           {"weather", run.weather},
                             {"weather_notes", run.notes}, {"it_MW", o.it_W * 1e-6},
                             {"load_frac", o.load_frac},   {"days", o.days},
                             {"step_s", o.step_s},         {"months", nlohmann::ordered_json::array()}};
  for (const auto& m : run.year.months)
    if (m.span_s > 0.0) out["months"].push_back(figures(m));
  out["year"] = figures(run.year.total);
  out["energy_closure"] = run.year.closure_worst_frac;
  out["cpu_s"] = run.cpu_s;
  out["times_real_time"] = o.days * 86400.0 / run.cpu_s;
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
