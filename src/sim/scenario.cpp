#include "tidewatt/sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/path_below.hpp"
#include "base/set_item.hpp"
#include "base/text.hpp"
#include "cooling/epw.hpp"
#include "fleet/fan_stairs.hpp"
#include "inherit.hpp"
#include "scenario_assumed.hpp"
#include "scenario_check.hpp"
#include "scenario_defaults.hpp"
#include "scenario_grid.hpp"
#include "scenario_inputs.hpp"
#include "scenario_reading.hpp"
#include "scenario_recheck.hpp"
#include "scenario_site.hpp"
#include "site_weather.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// The catalog entry that a key names, as text or as a table with `catalog`; empty: it names none.
std::string entry_name(const Node& table, std::string_view key) {
  const Node* named = table.is_table() ? table.find(key) : nullptr;
  if (named != nullptr && named->is_table()) named = named->find("catalog");
  return named != nullptr && named->is_text() ? std::get<std::string>(named->value) : "";
}

void read_liquid(Reading& reading, const Node& node, const std::string& path, thermal::LiquidCooling& liquid) {
  TableReader r = reading.table(node, path);
  reading.read(reading.entry(r, "plate", "cold_plate", "cold plate on each GPU"), path + ".plate", liquid.plate);
  liquid.capture.fields(r);
  r.finish();
}

void read_fans(Reading& reading, const Node& node, const std::string& path, thermal::FanControllerParams& fans) {
  if (!found(node)) return;
  try {
    fans = thermal::read_fan_controller(node, path, reading.log);
    const fleet::FanStairs known(fans);
  } catch (const InputError& e) {
    reading.findings.insert(reading.findings.end(), e.findings().begin(), e.findings().end());
  }
}

/// How the governor samples; the catalog's usual entry where the GPU names none. Its assumed inputs count where a run uses
/// them (read_scenario).
void read_sampling(Reading& reading, TableReader& gpu, const std::string& path, dvfs::SampledGovernorParams& sampling) {
  const Node usual{std::string("nvidia_sampled"), {}};
  const Node* spec =
      gpu.entry("sampling", "governor", Need::optional,
                "how the power management samples and acts; needed by the power brake and by --show gpu");
  Node named = spec != nullptr ? *spec : usual;
  if (named.is_table() && named.find("catalog") == nullptr)
    std::get<Node::Table>(named.value).emplace_back("catalog", usual);
  std::vector<catalog::AssumedInput> all;
  reading.read(reading.catalog.resolve(named, "governor", path, reading.findings, all), path, sampling);
  for (auto& a : all)
    if (a.key.ends_with("brake_clock_ratio") || a.key.ends_with("period_ms")) reading.of_brake.push_back(std::move(a));
}

/// With half of their links switch trays draw less: an even share of what they save at every server, which counts them.
void lower_switch_power(HallSpec& h) {
  if (!h.rack || h.hall.switch_profile != SwitchProfile::reduced_bandwidth) return;
  const auto& rack = h.rack->power;
  const double saved_W = (1.0 - rack.switch_reduced_ratio) * rack.switch_tray_W *
                         static_cast<double>(rack.n_switch_tray) / static_cast<double>(rack.n_compute_tray);
  h.server.host_W = std::max(0.0, h.server.host_W - saved_W);
  h.server.host_idle_W = std::max(0.0, h.server.host_idle_W - saved_W);
}

/// The rack in which the hall's servers stand. Its power is counted at the servers. What its entry assumes for its own watts has no
/// effect here, so it is not listed.
void read_rack(Reading& reading, TableReader& hall, const Node& given, const std::string& path, HallSpec& h) {
  const auto values = reading.optional_entry(
      hall, "rack", "rack",
      "rack that the servers are trays of; left out: no switch trays, no check of its liquid's flow");
  if (!values) return;
  const bool reduced = h.hall.switch_profile == SwitchProfile::reduced_bandwidth;
  std::erase_if(reading.assumed, [&](const auto& a) {
    return a.key.starts_with(path + ".power.") && !(reduced && a.key.ends_with("switch_reduced_ratio"));
  });
  if (!found(*values)) return;
  auto& rack = h.rack.emplace();
  rack.name = entry_name(given, "rack");
  TableReader r = reading.table(*values, path);
  r.text("gpu", rack.gpu, "GPU of its trays");
  r.text("server", rack.server, "one compute tray");
  r.text("network", rack.network, "network with its scale-up domain");
  reading.section(r, "power", rack.power, "its electrical parts");
  reading.section(r, "liquid", rack.loop, "its liquid loop");
  r.finish();
}

void read_hall(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  HallSpec& h = s.halls.emplace_back();
  TableReader r = reading.table(node, path);
  h.hall.fields(r);
  h.gpu_name = entry_name(node, "gpu");
  const Node gpu = reading.entry(r, "gpu", "gpu", "GPU");
  if (found(gpu)) {
    TableReader g = reading.table(gpu, path + ".gpu");
    reading.section(g, "power", h.gpu, "power of the board");
    reading.section(g, "governor", h.governor, "clocks under the power and temperature limits");
    read_sampling(reading, g, path + ".gpu.sampling", h.sampling);
    reading.section(g, "spread", h.spread, "differences between chips of one type");
    if (const auto memory = reading.optional_entry(g, "memory", "memory_branch",
                                                   "memory stacks on the package; left out: no memory temperatures"))
      reading.read(*memory, path + ".gpu.memory", h.memory.emplace());
    reading.section(g, "package", h.package, "heat path from the die to the air or the liquid");
    reading.read(reading.entry(g, "compute", "compute", "matrix rates, memory and kernels"), path + ".gpu.compute",
                 h.compute);
    g.finish();
  }
  const Node server = reading.entry(r, "server", "server", "server");
  if (found(server)) {
    TableReader v = reading.table(server, path + ".server");
    reading.section(v, "power", h.server, "power of the server beside its GPUs");
    reading.section(v, "air", h.air, "air flow and fans");
    if (const auto fans = reading.optional_entry(v, "fans", "fan_controller",
                                                 "its fan controller; left out: the straight line of its air"))
      read_fans(reading, *fans, path + ".server.fans", h.fans.emplace());
    if (const Node* position = v.child("position", Need::optional, "differences between the slots of a server"))
      reading.read(*position, path + ".server.position", h.position.emplace());
    if (const Node* own = v.child("protection", Need::optional, "what switches the server off beside its GPUs"))
      reading.read(*own, path + ".server.protection", h.protection.emplace());
    if (const Node* liquid = v.child("liquid", Need::optional, "cold plates; left out: an air-cooled server"))
      read_liquid(reading, *liquid, path + ".server.liquid", h.liquid.emplace());
    v.finish();
  }
  read_rack(reading, r, node, path + ".rack", h);
  lower_switch_power(h);
  const Node plant = reading.entry(r, "plant", "plant", "cooling plant of the hall");
  if (!found(plant)) return r.finish();
  TableReader p = reading.table(plant, path + ".plant");
  choose(p, "type", h.plant_kind, "kind of plant");
  if (h.plant_kind == PlantKind::prescribed_inlet)
    h.prescribed.fields(p);
  else if (h.plant_kind == PlantKind::hydronic)
    h.hydronic.fields(p);
  else
    h.outside_air.fields(p);
  p.finish();
  r.finish();
}

void read_job(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  JobSpec& j = s.jobs.emplace_back();
  TableReader r = reading.table(node, path);
  r.text("name", j.name, "name of the job");
  if (const Node* m = node.find("model"))
    j.model_name = m->is_text() ? std::get<std::string>(m->value) : name_of(*m, 0);
  reading.read(reading.entry(r, "model", "model", "model that is trained"), path + ".model", j.model);
  reading.read(reading.entry(r, "network", "network", "network within and between the servers"), path + ".network",
               j.network);
  if (const Node* plan = r.child("plan", Need::required, "how the model is spread over the GPUs")) {
    TableReader p = reading.table(*plan, path + ".plan");
    j.plan.fields(p);
    std::int64_t each = 1;  // the defaults have made a global batch of it
    p.integer("replica_batch_sequences", each, {1, 1e8},
              "sequences per iteration and replica, in the place of global_batch_sequences", Need::optional);
    p.finish();
  }
  reading.read(reading.entry(r, "life", "job", "start, checkpoints, failures and stops of the job"), path + ".life",
               j.life);
  if (const auto rates = reading.optional_entry(r, "failures", "failures", "random failures; left out: none"))
    reading.read(*rates, path + ".failures", j.failures.emplace());
  if (const Node* p = r.child("placement", Need::optional, "which servers the job uses; left out: the first free ones"))
    reading.read(*p, path + ".placement", j.placement.emplace());
  if (const Node* p =
          r.child("curtailment", Need::optional, "what the job gives up for orders met by tiers; left out: nothing"))
    reading.read(*p, path + ".curtailment", j.curtailment.emplace());
  r.finish();
}

/// Beats of one job, or of all jobs in order.
void read_beat(Reading& reading, TableReader& r, const Node& node, const std::string& name, MitigationKind kind,
               Scenario& s) {
  using enum MitigationKind;
  mitigation::BeatParams beat;
  beat.fields(r);
  std::string job;
  if (kind == iteration_beat) r.text("job", job, "job whose iterations keep the beat");
  double k = 0.0;
  bool known = kind == job_stagger;
  for (auto& j : s.jobs) {
    if (kind == iteration_beat && j.name != job) continue;
    known = true;
    if (j.beat)
      reading.findings.push_back({node.place, "mitigation", fmt::format("job '{}' has a beat already", j.name)});
    j.beat = beat;
    j.beat_name = name;
    if (kind == job_stagger) j.beat->phase_s += beat.period_s * k++ / static_cast<double>(s.jobs.size());
  }
  if (!known && !job.empty()) r.report(&node, "job", fmt::format("no job named '{}'", job));
}

/// Smoothing has the keys of the default profile where it names none and does not give them.
Node with_profile(Node node) {
  if (node.find("catalog") == nullptr) node.set("catalog", Node(std::string("default_profile"), node.place));
  return node;
}

void read_mitigation(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  using enum MitigationKind;
  const Node* word = node.find("kind");
  const auto kind =
      word && word->is_text() ? value_of<MitigationKind>(std::get<std::string>(word->value)) : std::nullopt;
  Node resolved = node;
  if (kind == site_battery)
    resolved = reading.catalog.resolve(node, "storage", path, reading.findings, reading.assumed);
  if (kind == gpu_smoothing)
    resolved = reading.catalog.resolve(with_profile(node), "gpu_smoothing", path, reading.findings, reading.assumed);
  if (kind == ballast) resolved = reading.catalog.resolve(node, "ballast", path, reading.findings, reading.assumed);
  TableReader r = reading.table(resolved, path);
  std::string name;
  r.text("name", name, "name of the mitigation");
  auto read = MitigationKind::gpu_smoothing;
  choose(r, "kind", read, "type of the mitigation");
  if (!kind) return;  // reported; its other keys depend on it
  if (kind == site_battery || kind == ballast || kind == gpu_smoothing) {
    std::string entry;  // resolved above
    r.text("catalog", entry, "catalog entry that gives the values; keys beside it win", Need::optional);
  }
  const auto only = [&](auto& slot, std::string& slot_name) {
    if (slot) r.report(&node, "", fmt::format("only one {} is possible", word_of(*kind)));
    slot.emplace().fields(r);
    slot_name = name;
  };
  if (kind == gpu_smoothing) only(s.gpu_smoothing, s.mitigation_names.gpu_smoothing);
  if (kind == ballast) only(s.ballast, s.mitigation_names.ballast);
  if (kind == site_battery) {
    only(s.battery, s.mitigation_names.battery);
    if (const auto wear =
            reading.optional_entry(r, "wear", "battery_wear", "ageing of the battery; left out: not counted"))
      reading.read(*wear, path + ".wear", s.battery_wear.emplace());
  }
  if (kind == iteration_beat || kind == job_stagger) read_beat(reading, r, node, name, *kind, s);
  r.finish();
}

/// A tariff with every price at one end of its assumed range.
mitigation::TariffParams at_end(const mitigation::TariffParams& tariff,
                                const std::vector<catalog::AssumedInput>& assumed,
                                double catalog::AssumedInput::* end) {
  auto out = tariff;
  constexpr double per_MWh = 1.0 / 3.6e9, per_kW = 1e-3;
  for (const auto& a : assumed) {
    const double x = a.*end;
    if (a.key == "economics.tariff.price_USD_per_MWh") out.price_USD_per_J.assign(24, x * per_MWh);
    if (a.key == "economics.tariff.weekend_USD_per_MWh") out.weekend_USD_per_J.assign(24, x * per_MWh);
    if (a.key == "economics.tariff.demand_USD_per_kW") out.demand_USD_per_W = x * per_kW;
    if (a.key == "economics.tariff.fixed_USD") out.fixed_USD = x;
    if (a.key == "economics.tariff.water_USD_per_m3") out.water_USD_per_m3 = x;
  }
  return out;
}

void read_economics(Reading& reading, const Node& node, Scenario& s) {
  EconomicsParams e;
  TableReader r = reading.table(node, "economics");
  reading.read(reading.entry(r, "tariff", "tariff", "prices of energy, demand and water"), "economics.tariff",
               e.tariff);
  reading.read(reading.entry(r, "footprint", "footprint", "carbon and water of the electricity"), "economics.footprint",
               e.footprint);
  e.fields(r);
  r.finish();
  check_hours(e, reading.findings);
  e.low = at_end(e.tariff, reading.assumed, &catalog::AssumedInput::low);
  e.high = at_end(e.tariff, reading.assumed, &catalog::AssumedInput::high);
  s.economics = std::move(e);
}

void read_weather(Reading& reading, TableReader& r, const catalog::Catalog& catalog, Scenario& s,
                  const LoadOptions& options) {
  const Node* node =
      r.child("weather", Need::optional, "weather of the site: one of a climate, an EPW file and a CSV file");
  if (node) reading.read(*node, "weather", s.weather);
  auto& w = s.weather;
  bool below = true;
  if (!options.weather_epw.empty()) {
    w.epw.clear(), w.csv.clear(), w.climate.clear();
    (cooling::is_epw(options.weather_epw) ? w.epw : w.csv) = options.weather_epw;
    // The scenario's day goes with the weather that the file replaces; --set asks for a day of the file.
    const Node* day = node ? node->find("day") : nullptr;
    if (day == nullptr || day->place.file != "--set") {
      if (day != nullptr && w.day != WeatherDay::dated)
        s.notes.push_back(fmt::format(
            "weather.day: '{}' is of the weather that the file replaces; the air is that of run.start's date. --set "
            "weather.day=typical, hot_clear or extreme takes such a day of the file",
            word_of(w.day)));
      w.day = WeatherDay::dated;
    }
  } else {
    for (const auto& [key, file] : {std::pair{"epw", &w.epw}, std::pair{"csv", &w.csv}}) {
      if (file->empty()) continue;
      const auto path = path_below(s.folder, *file);
      if (path)
        *file = *path;
      else
        reading.findings.push_back(
            {{},
             std::string("weather.") + key,
             fmt::format("'{}' must be a file below the scenario's folder (or use --weather FILE)", *file)});
      below = below && path;
    }
  }
  if (!(w.csv.empty() && w.epw.empty()) && (node == nullptr || node->find("day") == nullptr)) w.day = WeatherDay::dated;
  const bool altitude = options.weather_epw.empty() && node != nullptr && node->find("altitude_m") != nullptr;
  if (!check_weather(s, below, altitude, reading.findings, s.notes) || w.climate.empty()) return;
  const Node* named = node ? node->find("climate") : nullptr;
  const Node spec{w.climate, named ? named->place : Place{}};
  const Node climate = catalog.resolve(spec, "climate", "weather.climate", reading.findings, reading.assumed);
  if (!found(climate)) return;
  TableReader c(climate, "weather.climate", reading.findings);  // the scenario names it and cannot change it
  s.climate.emplace().fields(c);
  c.finish();
}

}  // namespace

Scenario read_scenario(const Node& given, const std::string& folder, const LoadOptions& options, FieldLog* log) {
  const catalog::Catalog catalog(options.catalog_overlay);
  Node root = inherit(given, folder).root;
  name_only_items(root);  // before overrides, which find list items by their names
  Reading reading{catalog, {}, {}, {}, log, {}};
  const auto items = item_values(options.set, reading.findings);
  for (const auto& set : options.set) try {
      if (!sets_item(set)) apply_set(root, set);
    } catch (const InputError& e) {
      reading.findings.insert(reading.findings.end(), e.findings().begin(), e.findings().end());
    }
  Scenario s;
  s.folder = folder;
  fill_defaults(reading, root, options, s);
  TableReader r = reading.table(root, "");
  std::int64_t schema = scenario_format;
  r.integer("schema", schema, {1, static_cast<double>(scenario_format)}, "version of the scenario format",
            Need::optional);
  std::string base;  // merged before; a key of the format all the same
  r.text("base", base,
         "scenario that this one inherits from: a file below this one's folder, or the name of a shipped scenario",
         Need::optional);
  reading.section(r, "run", s.run, "time, seed and settings of the simulation");
  s.run.start = whole_start(s.run.start);
  if (const Node* record = r.child("record", Need::optional, "what is recorded at full resolution")) {
    TableReader rr = reading.table(*record, "record");
    each(reading, rr, "window", false, "windows of time recorded every millisecond",
         [&](const Node& n, const std::string& path) { reading.read(n, "record." + path, s.windows.emplace_back()); });
    rr.finish();
  }
  read_weather(reading, r, catalog, s, options);
  if (const Node* site =
          r.child("site", Need::required, "power delivery of the site, its neighbours and the utility's rules")) {
    read_site(reading, *site, s, [&](TableReader& sr) {
      each(reading, sr, "neighbour", false, "other loads behind the same connection",
           [&](const Node& n, const std::string& path) { read_neighbour(reading, n, "site." + path, options, s); });
    });
  }
  if (const Node* grid_node = r.entry("grid", "grid", Need::required, "grid behind the connection")) {
    const Node n = catalog.resolve(*grid_node, "grid", "grid", reading.findings, reading.assumed);
    TableReader gr = reading.table(n, "grid");
    reading.section(gr, "source", s.source, "strength and voltage of the grid at the connection");
    reading.section(gr, "frequency", s.frequency, "how the grid's frequency answers a change of load");
    read_reserves(reading, gr, s);
    read_grid_case(reading, *grid_node, gr, s);
    gr.finish();
  }
  each(reading, r, "hall", true, "halls of the site",
       [&](const Node& n, const std::string& path) { read_hall(reading, n, path, s); });
  each(reading, r, "job", true, "training jobs",
       [&](const Node& n, const std::string& path) { read_job(reading, n, path, s); });
  each(reading, r, "mitigation", false, "mitigations of power swings",
       [&](const Node& n, const std::string& path) { read_mitigation(reading, n, path, s); });
  if (const Node* n = r.child("economics", Need::optional, "prices and footprints; left out: no costs"))
    read_economics(reading, *n, s);
  each(reading, r, "event", false, "disturbances at a time",
       [&](const Node& n, const std::string& path) { reading.read(n, path, s.events.emplace_back()); });
  const auto own = read_assumed(reading, r);
  r.finish();
  set_items(items, reading, s);
  if (reading.findings.empty()) check_scenario(s, root.place, reading.findings);
  add_assumed(own, options.set, s, reading);
  if (!reading.findings.empty()) {
    drop_consequences(reading);
    place_findings(root, reading.findings);
    throw InputError(std::move(reading.findings));
  }
  admit(s);
  s.assumed = std::move(reading.assumed);
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::sim
