#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/cooling/climate.hpp"
#include "tidewatt/cooling/epw.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/cooling/plant_year.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string plant, climate = "portland_or", epw, year = "typical", overlay;
  double it_MW = 10.0, load_frac = 0.8, days = 365.0, step_s = 600.0;
  std::int64_t seed = 1;
  bool json = false;
};

template <class Params>
Params read(Node node) {
  std::erase_if(std::get<Node::Table>(node.value), [](const auto& item) { return item.first == "type"; });
  std::vector<Finding> findings;
  Params out{};
  TableReader r(node, "plant", findings);
  out.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

struct Built {
  std::unique_ptr<cooling::CoolingPlant> plant;
  cooling::PlantInput load;
};

/// Servers whose air warms by 14 K, and whose plates ask for as much of the loop's flow as they give of its heat.
Built build(const catalog::Catalog& catalog, const Arguments& a) {
  const Node node = catalog.values("plant", a.plant);
  const Node* type = node.find("type");
  const std::string kind = type && type->is_text() ? std::get<std::string>(type->value) : "";
  const double rated_W = a.it_MW * 1e6, heat_W = rated_W * a.load_frac;
  Built out;
  double liquid_frac = 0.0, loop_kg_per_s = 0.0;
  if (kind == "hydronic") {
    const auto p = read<cooling::HydronicParams>(node);
    liquid_frac = p.liquid_frac;
    loop_kg_per_s = liquid_frac > 0.0 ? p.loop_flow_kg_per_s * rated_W / p.reference_it_W : 0.0;
    out.plant = std::make_unique<cooling::HydronicPlant>(p, rated_W);
  } else if (kind == "outside_air") {
    out.plant = std::make_unique<cooling::OutsideAirPlant>(read<cooling::OutsideAirParams>(node), rated_W);
  } else {
    throw InputError(fmt::format("plant '{}' is of type '{}': only hydronic and outside_air plants have machines", a.plant, kind));
  }
  out.load.it_heat_W = heat_W * (1.0 - liquid_frac);
  out.load.server_flow_m3_per_s = std::max(out.load.it_heat_W / (1.15 * 1006.0 * 14.0), 1e-3);
  out.load.liquid_heat_W = heat_W * liquid_frac;
  out.load.liquid_flow_kg_per_s = loop_kg_per_s * a.load_frac;
  return out;
}

cooling::Weather weather_of(const catalog::Catalog& catalog, const Arguments& a) {
  if (!a.epw.empty()) return cooling::epw_weather(cooling::read_epw(a.epw), {1, 1}, 0);
  const auto kind = a.year == "hot" ? cooling::ClimateDay::hot : (a.year == "extreme" ? cooling::ClimateDay::extreme : cooling::ClimateDay::typical);
  return cooling::climate_year(read<cooling::ClimateParams>(catalog.values("climate", a.climate)), kind, static_cast<std::uint64_t>(a.seed));
}

void plant(const Arguments& a) {
  const catalog::Catalog catalog(a.overlay);
  const Built built = build(catalog, a);
  const auto weather = weather_of(catalog, a);
  const std::clock_t start = std::clock();
  const auto year = cooling::run_plant(*built.plant, weather, [&](Tick) { return built.load; }, to_tick(a.days * 86400.0), to_tick(a.step_s));
  const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto figures = [](const cooling::PlantMonth& m) {
    return nlohmann::ordered_json{{"pue", m.pue()}, {"water_L_per_kWh", m.water_kg_per_kWh()}, {"water_m3", m.water_kg * 1e-3},
                                  {"heat_reused_MWh", m.reuse_J / 3.6e9}, {"supply_max_degC", m.supply_max_K - 273.15},
                                  {"liquid_supply_max_degC", m.liquid_supply_max_K > 0.0 ? nlohmann::ordered_json(m.liquid_supply_max_K - 273.15) : nlohmann::ordered_json()},
                                  {"capacity_margin_min_percent", 100.0 * m.capacity_margin_min_frac}};
  };
  if (a.json) {
    nlohmann::ordered_json out{{"plant", a.plant}, {"weather", weather.source()}, {"it_MW", a.it_MW}, {"load_frac", a.load_frac},
                               {"days", a.days}, {"step_s", a.step_s}, {"months", nlohmann::ordered_json::array()}};
    for (const auto& m : year.months)
      if (m.span_s > 0.0) out["months"].push_back(figures(m));
    out["year"] = figures(year.total);
    out["energy_closure"] = year.closure_worst_frac;
    out["cpu_s"] = cpu_s;
    out["times_real_time"] = a.days * 86400.0 / cpu_s;
    fmt::print("{}\n", out.dump());
    return;
  }
  static constexpr std::array names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  fmt::print("{} at {:g} MW, load {:.0f} %, {}\n", a.plant, a.it_MW, 100.0 * a.load_frac, weather.source());
  fmt::print("{:<6} {:>7} {:>9} {:>9} {:>11} {:>9}\n", "", "PUE", "L/kWh", "water m3", "supply degC", "margin %");
  const auto line = [](const char* name, const cooling::PlantMonth& m) {
    fmt::print("{:<6} {:>7.4f} {:>9.3f} {:>9.0f} {:>11.1f} {:>9.1f}\n", name, m.pue(), m.water_kg_per_kWh(), m.water_kg * 1e-3,
               m.supply_max_K - 273.15, 100.0 * m.capacity_margin_min_frac);
  };
  for (std::size_t i = 0; i < names.size(); ++i)
    if (year.months[i].span_s > 0.0) line(names[i], year.months[i]);
  line("all", year.total);
  fmt::print("books close to {:.1e} in every step; {:.2f} s of processor time, {:.0f} times real time\n", year.closure_worst_frac, cpu_s,
             a.days * 86400.0 / cpu_s);
}

}  // namespace

void add_plant_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("plant", "a cooling plant alone under a year's weather: PUE, water and margin by month");
  c->add_option("plant", a->plant, "catalog plant")->required();
  c->add_option("--climate", a->climate, "catalog climate")->capture_default_str();
  c->add_option("--year", a->year, "of the climate: typical, hot or extreme")->check(CLI::IsMember({"typical", "hot", "extreme"}))->capture_default_str();
  c->add_option("--seed", a->seed, "of the climate's days")->check(within(0, 9e15))->capture_default_str();
  c->add_option("--weather", a->epw, "EPW file; wins over the climate");
  c->add_option("--it-MW", a->it_MW, "IT heat that the plant is built for")->check(within(0.001, 1e4))->capture_default_str();
  c->add_option("--load", a->load_frac, "share of it that runs")->check(within(0.01, 1.0))->capture_default_str();
  c->add_option("--days", a->days, "from 1 January on")->check(within(0.01, 366.0))->capture_default_str();
  c->add_option("--step-s", a->step_s, "macro step")->check(within(1.0, 3600.0))->capture_default_str();
  c->add_option("--catalog", a->overlay, "folder of catalog files that add to or replace the built-in ones");
  c->add_flag("--json", a->json, "print one JSON object");
  c->callback([a] { plant(*a); });
}
