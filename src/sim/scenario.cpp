#include "tidewatt/sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tidewatt/base/reader.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/cooling/epw.hpp"

namespace tidewatt::sim {
namespace {

std::string below(const std::string& path, const char* key) { return path.empty() ? key : path + "." + key; }

/// An entry that could not be resolved is one finding, not one per missing section.
bool found(const Node& entry) { return !entry.is_table() || !std::get<Node::Table>(entry.value).empty(); }

/// Reads one scenario: findings, assumed inputs and the catalog at hand.
struct Reading {
  const catalog::Catalog& catalog;
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;

  template <class Params>
  void read(const Node& node, const std::string& path, Params& params) {
    if (!found(node) && !findings.empty()) return;
    TableReader r(node, path, findings);
    params.fields(r);
    r.finish();
  }
  /// The catalog entry that `key` names, with what stands beside it.
  Node entry(TableReader& r, const char* key, const char* kind) {
    const Node* spec = r.child(key, Need::required);
    return spec ? catalog.resolve(*spec, kind, below(r.path(), key), findings, assumed) : Node{Node::Table{}, {}};
  }
  template <class Params>
  void section(TableReader& r, const char* key, Params& params) {
    const Node* n = r.child(key, Need::required);
    if (n) read(*n, below(r.path(), key), params);
  }
};

std::string name_of(const Node& item, std::size_t i) {
  const Node* name = item.find("name");
  return name && name->is_text() ? std::get<std::string>(name->value) : fmt::format("{}", i + 1);
}

template <class Visit>
void each(Reading& reading, TableReader& r, const char* key, bool required, Visit&& visit) {
  const Node* list = r.child(key, required ? Need::required : Need::optional);
  if (!list) return;
  if (!list->is_array()) return r.report(list, key, fmt::format("expected a list of tables [[{}]]", key));
  const auto& items = std::get<Node::Array>(list->value);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string name = name_of(items[i], i);
    for (const auto& other : names)
      if (other == name)
        reading.findings.push_back({items[i].place, fmt::format("{}.{}", key, name), "two items have this name"});
    names.push_back(name);
    visit(items[i], fmt::format("{}.{}", key, name));
  }
}

void read_hall(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  HallSpec& h = s.halls.emplace_back();
  TableReader r(node, path, reading.findings);
  h.hall.fields(r);
  const Node gpu = reading.entry(r, "gpu", "gpu");
  if (found(gpu)) {
    TableReader g(gpu, path + ".gpu", reading.findings);
    reading.section(g, "power", h.gpu);
    reading.section(g, "governor", h.governor);
    reading.section(g, "spread", h.spread);
    reading.section(g, "package", h.package);
    reading.section(g, "compute", h.compute);
    g.finish();
  }
  const Node server = reading.entry(r, "server", "server");
  if (found(server)) {
    TableReader v(server, path + ".server", reading.findings);
    reading.section(v, "power", h.server);
    reading.section(v, "air", h.air);
    v.finish();
  }
  const Node plant = reading.entry(r, "plant", "plant");
  if (!found(plant)) return r.finish();
  TableReader p(plant, path + ".plant", reading.findings);
  static constexpr std::array<std::string_view, 2> types = {"outside_air", "prescribed_inlet"};
  p.choice("type", h.plant_kind, types, "kind of plant");
  if (h.plant_kind == "prescribed_inlet")
    h.prescribed.fields(p);
  else
    h.outside_air.fields(p);
  p.finish();
  r.finish();
}

void read_job(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  JobSpec& j = s.jobs.emplace_back();
  TableReader r(node, path, reading.findings);
  r.text("name", j.name, "name of the job");
  if (const Node* m = node.find("model"))
    j.model_name = m->is_text() ? std::get<std::string>(m->value) : name_of(*m, 0);
  reading.read(reading.entry(r, "model", "model"), path + ".model", j.model);
  reading.read(reading.entry(r, "network", "network"), path + ".network", j.network);
  reading.section(r, "plan", j.plan);
  reading.section(r, "life", j.life);
  if (const Node* f = r.child("failures")) {
    const Node rates = reading.catalog.resolve(*f, "failures", path + ".failures", reading.findings, reading.assumed);
    reading.read(rates, path + ".failures", j.failures.emplace());
  }
  r.finish();
}

void read_mitigation(Reading& reading, const Node& node, const std::string& path, Scenario& s) {
  static constexpr std::array<std::string_view, 2> kinds = {"gpu_smoothing", "site_battery"};
  const Node* kind_node = node.find("kind");
  const std::string kind = kind_node && kind_node->is_text() ? std::get<std::string>(kind_node->value) : "";
  Node resolved = node;
  if (kind == "site_battery") resolved = reading.catalog.resolve(node, "storage", path, reading.findings, reading.assumed);
  TableReader r(resolved, path, reading.findings);
  std::string name, word;
  r.text("name", name, "name of the mitigation");
  r.choice("kind", word, kinds, "what it is");
  if (word == "gpu_smoothing") {
    if (s.gpu_smoothing) r.report(&node, "", "only one gpu_smoothing is possible");
    s.gpu_smoothing.emplace().fields(r);
  } else if (word == "site_battery") {
    if (s.battery) r.report(&node, "", "only one site_battery is possible");
    s.battery.emplace().fields(r);
  }
  r.finish();
}

Node inherit(Node root, const std::string& folder, int depth) {
  const Node* base = root.find("base");
  if (!base) return root;
  if (depth > 8) throw InputError(Finding{base->place, "base", "scenarios inherit from each other in a circle"});
  const std::string name = base->is_text() ? std::get<std::string>(base->value) : "";
  const auto path = std::filesystem::path(folder) / name;
  const auto relative = std::filesystem::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..")
    throw InputError(Finding{base->place, "base", fmt::format("'{}' must be a file below the scenario's folder", name)});
  std::erase_if(std::get<Node::Table>(root.value), [](const auto& item) { return item.first == "base"; });
  return merge(inherit(parse_toml_file(path.string()), folder, depth + 1), root);
}

/// What a run will hold in memory, against the limit.
void admit(const Scenario& s) {
  constexpr double limit_B = 16e9, bytes_per_gpu = 600.0;
  double n_gpu = 0;
  for (const auto& h : s.halls) n_gpu += static_cast<double>(h.hall.n_gpu);
  // Samples of three doubles, a time axis, and one copy while the result is assembled; four doubles per pyramid second.
  double window_B = s.run.duration_s * 64.0;
  for (const auto& w : s.windows) window_B += std::min(w.duration_s, s.run.duration_s) * 1000.0 * 64.0;
  if (n_gpu * bytes_per_gpu > limit_B)
    throw RefusedError(fmt::format("hall.*.n_gpu: {:.0f} GPUs would need about {:.1f} GB of memory, above the limit of {:.0f} GB",
                                   n_gpu, n_gpu * bytes_per_gpu * 1e-9, limit_B * 1e-9));
  if (window_B > limit_B / 4)
    throw RefusedError(fmt::format("run.duration_h, record.window: the recorded waveforms would need {:.1f} GB, above the limit of {:.0f} GB",
                                   window_B * 1e-9, limit_B * 0.25e-9));
  if (s.jobs.size() > 1)
    throw RefusedError("job: more than one job on a fleet is not simulated yet");
}

void check(Reading& reading, Scenario& s, const Node& root) {
  const auto report = [&](const std::string& key, std::string message) {
    reading.findings.push_back({root.place, key, std::move(message)});
  };
  if (s.halls.empty()) report("hall", "a site needs one hall at least");
  if (s.jobs.empty()) report("job", "a scenario needs one job");
  std::int64_t n_gpu = 0;
  for (const auto& h : s.halls) {
    n_gpu += h.hall.n_gpu;
    if (h.server.n_gpu > 0 && h.hall.n_gpu % h.server.n_gpu != 0)
      report("hall." + h.hall.name + ".n_gpu", fmt::format("{} is not a multiple of the server's {} GPUs", h.hall.n_gpu, h.server.n_gpu));
    if (h.server.n_gpu != s.halls.front().server.n_gpu)
      report("hall." + h.hall.name + ".server", "all halls need servers with the same number of GPUs");
    const auto& first = s.halls.front().compute;
    if (h.compute.matrix_FLOP_per_s != first.matrix_FLOP_per_s || h.compute.reference_clock_Hz != first.reference_clock_Hz)
      report("hall." + h.hall.name + ".gpu", "all halls of a job need the same type of GPU");
    const double lowest_Hz = h.gpu.vf_clock_Hz.empty() ? 0.0 : h.gpu.vf_clock_Hz.front();
    const double highest_Hz = h.gpu.vf_clock_Hz.empty() ? 0.0 : h.gpu.vf_clock_Hz.back();
    if (h.hall.clock_lock_Hz != 0.0 && (h.hall.clock_lock_Hz < lowest_Hz || h.hall.clock_lock_Hz > highest_Hz))
      report("hall." + h.hall.name + ".clock_lock_MHz",
             fmt::format("{:.0f} is outside the V/f table, {:.0f} to {:.0f} MHz", h.hall.clock_lock_Hz * 1e-6, lowest_Hz * 1e-6, highest_Hz * 1e-6));
    if (h.hall.cap_W > h.gpu.tdp_W)
      report("hall." + h.hall.name + ".cap_W", fmt::format("{} is above the board limit of {} W", h.hall.cap_W, h.gpu.tdp_W));
  }
  for (const auto& j : s.jobs) {
    if (j.plan.n_gpu > n_gpu)
      report("job." + j.name + ".plan.n_gpu", fmt::format("{} GPUs, but the halls hold {}", j.plan.n_gpu, n_gpu));
    if (!s.halls.empty() && s.halls.front().server.n_gpu != j.network.gpus_per_node)
      report("job." + j.name + ".network.gpus_per_node",
             fmt::format("{} GPUs per node, but the servers have {}", j.network.gpus_per_node, s.halls.front().server.n_gpu));
    if (!s.halls.empty() && j.plan.n_gpu % s.halls.front().server.n_gpu != 0)
      report("job." + j.name + ".plan.n_gpu", fmt::format("{} is not a whole number of servers", j.plan.n_gpu));
    if (!s.halls.empty())
      for (auto& f : workload::check_plan(j.model, j.plan, s.halls.front().compute, j.network, "job." + j.name + ".plan"))
        reading.findings.push_back(std::move(f));
  }
  if (to_tick(s.run.duration_s) % ns_per_ms != 0)
    report("run.duration_h", fmt::format("{} s is not a whole number of milliseconds", s.run.duration_s));
  try {
    local_time_of_day(s.run.start);
  } catch (const InputError& e) {
    report("run.start", e.findings().front().message);
  }
  for (const auto& w : s.windows)
    if (w.start_s >= s.run.duration_s)
      s.notes.push_back(fmt::format("record.window.{}: begins at {} s, after the run's end", w.name, w.start_s));
  for (const auto& e : s.events) {
    if (e.at_s >= s.run.duration_s)
      s.notes.push_back(fmt::format("event.{}: at {} s, after the run's end", e.name, e.at_s));
    bool known = false;
    for (const auto& j : s.jobs) known = known || j.name == e.job;
    if (!known) report("event." + e.name + ".job", fmt::format("no job named '{}'", e.job));
  }
}

void read_weather(Reading& reading, TableReader& r, const catalog::Catalog& catalog, Scenario& s, const LoadOptions& options) {
  const Node* node = r.child("weather");
  if (node) reading.read(*node, "weather", s.weather);
  if (!options.weather_epw.empty()) {
    s.weather.epw = options.weather_epw;
    s.weather.climate.clear();
    if (s.weather.day == "hot") s.weather.day = "hot_clear";
  } else if (!s.weather.epw.empty()) {
    const auto relative = std::filesystem::path(s.weather.epw).lexically_normal();
    if (relative.is_absolute() || *relative.begin() == "..")
      reading.findings.push_back({node->place, "weather.epw", "must be a file below the scenario's folder (or use --weather FILE)"});
    else
      s.weather.epw = (std::filesystem::path(s.folder) / relative).string();
  }
  if (!s.weather.epw.empty()) {
    try {
      cooling::read_epw(s.weather.epw);
    } catch (const InputError& e) {
      for (const auto& f : e.findings()) reading.findings.push_back(f);
    }
  }
  if (s.weather.epw.empty() == s.weather.climate.empty()) {
    reading.findings.push_back({node ? node->place : Place{}, "weather", "name either an EPW file (epw) or a catalog climate (climate)"});
  } else if (!s.weather.climate.empty()) {
    const Node spec{s.weather.climate, node ? node->place : Place{}};
    reading.read(catalog.resolve(spec, "climate", "weather.climate", reading.findings, reading.assumed), "weather.climate",
                 s.climate.emplace());
    if (s.weather.day == "hot_clear" || s.weather.day == "dated")
      reading.findings.push_back({node->place, "weather.day", fmt::format("'{}' is for EPW files; a climate has typical, hot and extreme", s.weather.day)});
  }
}

}  // namespace

Scenario read_scenario(const Node& given, const std::string& folder, const LoadOptions& options) {
  const catalog::Catalog catalog(options.catalog_overlay);
  Node root = inherit(given, folder, 0);
  for (const auto& set : options.set) apply_set(root, set);
  Reading reading{catalog, {}, {}};
  Scenario s;
  s.folder = folder;
  TableReader r(root, "", reading.findings);
  std::int64_t schema = 1;
  r.integer("schema", schema, {1, 1}, "version of the scenario format");
  reading.section(r, "run", s.run);
  if (const Node* record = r.child("record")) {
    TableReader rr(*record, "record", reading.findings);
    each(reading, rr, "window", false, [&](const Node& n, const std::string& path) {
      reading.read(n, "record." + path, s.windows.emplace_back());
    });
    rr.finish();
  }
  read_weather(reading, r, catalog, s, options);
  if (const Node* site = r.child("site", Need::required)) {
    TableReader sr(*site, "site", reading.findings);
    reading.read(reading.entry(sr, "feeder", "feeder"), "site.feeder", s.feeder);
    sr.finish();
  }
  if (const Node* grid_node = r.child("grid", Need::required)) {
    const Node n = catalog.resolve(*grid_node, "grid", "grid", reading.findings, reading.assumed);
    TableReader gr(n, "grid", reading.findings);
    reading.section(gr, "source", s.source);
    reading.section(gr, "frequency", s.frequency);
    gr.finish();
  }
  each(reading, r, "hall", true, [&](const Node& n, const std::string& path) { read_hall(reading, n, path, s); });
  each(reading, r, "job", true, [&](const Node& n, const std::string& path) { read_job(reading, n, path, s); });
  each(reading, r, "mitigation", false, [&](const Node& n, const std::string& path) { read_mitigation(reading, n, path, s); });
  each(reading, r, "event", false,
       [&](const Node& n, const std::string& path) { reading.read(n, path, s.events.emplace_back()); });
  r.finish();
  if (reading.findings.empty()) check(reading, s, root);
  if (!reading.findings.empty()) throw InputError(std::move(reading.findings));
  admit(s);
  s.assumed = std::move(reading.assumed);
  return s;
}

Scenario load_scenario(const std::string& path, const LoadOptions& options) {
  const std::string text = read_file(path, 16u << 20);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Node root = parse_toml(text, path);
  Scenario s = read_scenario(root, folder.empty() ? "." : folder, options);
  s.text = text;
  // What it inherits belongs to it: the text alone must be able to repeat the run.
  for (const Node* base = root.find("base"); base; base = root.find("base")) {
    const std::string name = std::get<std::string>(base->value);
    const std::string below_text = read_file((std::filesystem::path(s.folder) / name).string(), 16u << 20);
    s.text += "\n# ---- base = " + name + "\n" + below_text;
    root = parse_toml(below_text, name);
  }
  for (const auto& set : options.set) s.text += "\n# --set " + set;
  if (!options.weather_epw.empty())
    s.text += "\n# --weather " + std::filesystem::path(options.weather_epw).filename().string();
  return s;
}

}  // namespace tidewatt::sim
