// Studies that the command line has too: why throughput moves, power systems of several machines, a plant alone, exports,
// fits to telemetry and benchmarks. Each is one call of the library; results come as its own JSON and text.
#include <pybind11/stl.h>

#include <cmath>
#include <mutex>

#include "background.hpp"
#include "bench/bench.hpp"
#include "bind.hpp"
#include "study/explain_swing.hpp"
#include "study/export_result.hpp"
#include "study/fit_log.hpp"
#include "study/fit_tables.hpp"
#include "study/frequency_study.hpp"
#include "study/machine_study.hpp"
#include "study/network_study.hpp"
#include "study/order_study.hpp"
#include "study/plant_alone.hpp"
#include "study/replay_log.hpp"
#include "study/scenario_reference.hpp"
#include "study/scenario_schema.hpp"
#include "study/stability_study.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;

py::tuple explain(const std::shared_ptr<sim::Scenario>& scenario, const std::shared_ptr<RunResult>& base,
                  std::size_t n_thread, std::int64_t n_fleet, const py::object& progress) {
  struct Told {
    std::mutex mutex;
    std::vector<std::string> names;  // guarded
    study::SwingReport report;
  };
  const auto told = std::make_shared<Told>();
  in_background(
      [told, scenario, base, n_thread, n_fleet](const std::atomic<bool>& stop) {
        told->report = study::explain_swing(*scenario, base->result, {n_thread, n_fleet}, [&](const std::string& name) {
          if (stop) throw std::runtime_error("stopped");
          const std::scoped_lock lock(told->mutex);
          told->names.push_back(name);
        });
      },
      [&] {
        std::vector<std::string> names;
        {
          const std::scoped_lock lock(told->mutex);
          names.swap(told->names);
        }
        if (!progress.is_none())
          for (const auto& name : names) progress(name);
      });
  return py::make_tuple(study::swing_json(told->report), study::swing_text(told->report));
}

study::MachineOptions machine_options(const py::dict& given) {
  study::MachineOptions o;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key)) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("grid_case", o.grid_case), take("bus", o.bus), take("catalog", o.catalog_overlay), take("window", o.window);
  take("begin_s", o.begin_s), take("length_s", o.length_s), take("shaft_Hz", o.shaft_Hz),
      take("shaft_damping_frac", o.shaft_damping_frac);
  take("swing_W", o.swing_W), take("duty_frac", o.duty_frac), take("from_s", o.from_s), take("to_s", o.to_s),
      take("points", o.points);
  take("damping_frac", o.damping_frac), take("deadband_Hz", o.deadband_Hz);
  take("raw", o.raw), take("dyr", o.dyr), take("loads", o.loads), take("shaft", o.shaft);
  return o;
}

py::tuple play_waveform(const std::string& result, const py::dict& given) {
  const auto run = computed<study::MachineRun>(
      [result, o = machine_options(given)](study::MachineRun& r) { r = study::play_waveform(result, o); });
  std::vector<double> bus;
  for (const auto& m : run->response.machines) bus.push_back(m.bus);
  return py::make_tuple(study::machines_json(*run), study::machines_text(*run), run->first_s, run->response.time_s,
                        run->response.frequency_Hz, bus, run->response.voltage_pu);
}

py::tuple play_network(const py::dict& given) {
  study::NetworkOptions o;
  const auto take = [&](const char* key, auto& value) { value = given[key].cast<std::decay_t<decltype(value)>>(); };
  take("raw", o.raw), take("dyr", o.dyr), take("bus", o.bus), take("step_W", o.step_W), take("ramp_s", o.ramp_s),
      take("trip", o.trip), take("at_s", o.at_s);
  take("result", o.result), take("window", o.window), take("begin_s", o.begin_s), take("dispatch_s", o.dispatch_s),
      take("length_s", o.length_s);
  take("time_step_s", o.time_step_s), take("loads", o.loads), take("site", o.site), take("shaft", o.shaft);
  take("site_W", o.site_W), take("rating_W", o.rating_W), take("gain_ratio", o.gain_ratio), take("control", o.control),
      take("catalog", o.catalog_overlay);
  const auto run = computed<study::NetworkRun>([o](study::NetworkRun& r) { r = study::play_network(o); });
  const auto& t = run->trace;
  std::vector<double> frequency_Hz, voltage_pu;
  std::vector<std::string> unit;
  const std::size_t n = t.unit.size(), n_bus = run->bus_number.size();
  for (std::size_t u = 0; u < n; ++u)
    if (t.machine[u]) unit.push_back(t.unit[u]);
  for (std::size_t r = 0; r < t.time_s.size(); ++r) {
    for (std::size_t u = 0; u < n; ++u)
      if (t.machine[u]) frequency_Hz.push_back(t.speed_Hz[r * n + u]);
    voltage_pu.push_back(t.voltage_pu[r * n_bus + t.site_bus]);
  }
  return py::make_tuple(study::network_json(*run), study::network_text(*run), t.time_s, t.mean_Hz, frequency_Hz, unit,
                        voltage_pu);
}

py::tuple play_frequency(const py::dict& given) {
  study::FrequencyOptions o;
  const auto take = [&](const char* key, auto& value) { value = given[key].cast<std::decay_t<decltype(value)>>(); };
  take("grid", o.grid), take("reserves", o.reserves), take("catalog", o.catalog_overlay), take("step_W", o.step_W),
      take("at_s", o.at_s), take("length_s", o.length_s);
  take("result", o.result), take("window", o.window);
  const auto run = computed<study::FrequencyRun>([o](study::FrequencyRun& r) { r = study::play_frequency(o); });
  return py::make_tuple(study::frequency_json(*run), study::frequency_text(*run), run->deviation_Hz, run->reserve_W,
                        run->shed_W);
}

py::tuple stability(const py::dict& given) {
  study::StabilityOptions o;
  const auto take = [&](const char* key, auto& value) { value = given[key].cast<std::decay_t<decltype(value)>>(); };
  take("control", o.control), take("catalog", o.catalog_overlay), take("load_W", o.load_W),
      take("rating_W", o.rating_W), take("short_circuit_VA", o.short_circuit_VA);
  take("x_over_r_ratio", o.x_over_r_ratio), take("source_pu", o.source_pu), take("nominal_Hz", o.nominal_Hz),
      take("gain_ratio", o.gain_ratio), take("link_filter_s", o.link_filter_s), take("map", o.map);
  take("ratio_from", o.ratio_from), take("ratio_to", o.ratio_to), take("gain_from", o.gain_from),
      take("gain_to", o.gain_to), take("points", o.points);
  take("fit_stable_W", o.fit_stable_W), take("fit_unstable_W", o.fit_unstable_W), take("fit_Hz", o.fit_Hz),
      take("fit_within_Hz", o.fit_within_Hz);
  const auto s = computed<study::Stability>([o](study::Stability& out) { out = study::site_stability(o); });
  const bool drawn = !s->cells.empty() || !s->trace.time_s.empty();
  return py::make_tuple(study::stability_json(*s), study::stability_text(*s),
                        drawn ? study::stability_svg(*s) : std::string(), s->trace.time_s, s->trace.power_W,
                        s->trace.voltage_pu, s->trace.link_ratio);
}

py::tuple orders(const std::shared_ptr<sim::Scenario>& scenario, const std::string& file, const std::string& result,
                 const py::dict& given) {
  study::OrderOptions o;
  const auto take = [&](const char* key, auto& value) { value = given[key].cast<std::decay_t<decltype(value)>>(); };
  take("order", o.order), take("settlement_s", o.how.settlement_s), take("baseline_s", o.how.baseline_s),
      take("rebound_s", o.how.rebound_s);
  const auto s = computed<study::OrderStudy>(
      [=](study::OrderStudy& out) { out = study::judge_orders(*scenario, file, result, o); });
  return py::make_tuple(study::orders_json(*s), study::orders_text(*s));
}

py::tuple sweep_periods(const py::dict& given) {
  const auto sweep = computed<study::PeriodSweep>(
      [o = machine_options(given)](study::PeriodSweep& s) { s = study::sweep_periods(o); });
  return py::make_tuple(study::sweep_json(*sweep), study::sweep_text(*sweep), sweep->period_s, sweep->peak_to_peak_Hz);
}

py::tuple plant(const std::string& name, const std::string& climate, const std::string& weather,
                const std::string& year, const std::string& overlay, double it_W, double load_frac, double days,
                double step_s, std::int64_t seed, double altitude_m) {
  const auto run = computed<study::PlantAlone>([=](study::PlantAlone& p) {
    p = study::run_plant_alone(
        {name, climate, weather, year, overlay, it_W, load_frac, days, step_s, seed, altitude_m});
  });
  return py::make_tuple(study::plant_json(*run), study::plant_text(*run));
}

py::tuple export_window(const std::string& result, const py::dict& given) {
  study::ResultExport x;
  auto& o = x.options;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key) && !given[key].is_none()) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("format", o.format), take("window", o.window), take("folder", o.folder), take("encoding", o.encoding),
      take("station", o.station);
  take("begin_s", o.cut.begin_s), take("length_s", o.cut.length_s), take("step_s", o.cut.step_s),
      take("peaks", o.cut.peaks);
  take("load", o.andes.load), take("base_MVA", o.andes.base_MVA), take("settings", x.source.settings),
      take("catalog", x.source.overlay), take("bus", x.bus), take("program", x.program),
      take("drives_only", x.drives_only);
  std::vector<std::string> paths;
  std::vector<std::string> warnings;
  {
    const py::gil_scoped_release no_gil;
    const auto out = study::export_result(result, x);
    const auto& made = out.made;
    io::write_export(made.folder, made.files, made.total_bytes());
    for (std::size_t i = 0; i < made.files.size(); ++i) paths.push_back(made.path(i));
    warnings = out.warnings;
  }
  return py::make_tuple(paths, warnings);
}

py::dict entry(const study::FittedEntry& e) {
  py::list values;
  for (const auto& v : e.values)
    values.append(py::dict("key"_a = v.key, "value"_a = v.value, "low"_a = v.low, "high"_a = v.high,
                           "identified"_a = v.identified, "at_bound"_a = v.at_bound, "before_low"_a = v.prior_low,
                           "before_high"_a = v.prior_high));
  py::list open;
  for (const auto& v : e.values)
    if (!v.identified) open.append(v.key);
  return py::dict("undetermined"_a = open, "kind"_a = e.kind, "name"_a = e.name, "toml"_a = e.toml, "text"_a = e.text,
                  "rms"_a = e.rms, "values"_a = values, "at_bound"_a = e.at_bound(), "json"_a = study::fit_json(e));
}

py::dict fit_gpu(const std::vector<std::string>& files, const std::string& name, const std::string& base,
                 const std::string& gpu, double before_W, double power_window_s, double fan_frac) {
  return entry(*computed<study::FittedEntry>([=](study::FittedEntry& e) {
    e = study::fit_gpu_log({files, name, base, gpu, before_W, power_window_s, fan_frac});
  }));
}

py::dict fit_nodes(const std::string& file, const std::string& name, const std::string& events, double meter_period_s,
                   double iterations_per_token) {
  return entry(*computed<study::FittedEntry>([=](study::FittedEntry& e) {
    e = study::fit_nodes_log({file, name, events, meter_period_s, iterations_per_token});
  }));
}

py::dict fit_fans(const std::string& file, const std::string& name) {
  return entry(*computed<study::FittedEntry>([=](study::FittedEntry& e) { e = study::fit_fans_log(file, name); }));
}

py::dict fit_overhead(const std::string& file, const std::string& name) {
  return entry(*computed<study::FittedEntry>([=](study::FittedEntry& e) { e = study::fit_overhead_log(file, name); }));
}

py::dict fit_table(const std::string& word, const py::dict& given) {
  study::FitTableOptions o;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key) && !given[key].is_none()) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("files", o.files), take("name", o.name), take("base", o.base), take("level", o.level);
  take("governor", o.governor), take("gpu", o.gpu), take("rear", o.rear), take("branches", o.branches);
  take("meter_frac", o.meter_frac), take("replicas", o.replicas), take("resolution_s", o.resolution_s);
  take("nodes", o.nodes), take("days", o.days), take("rated_it_W", o.rated_it_W), take("fan_frac", o.fan_frac);
  take("power_window_s", o.power_window_s);
  return entry(*computed<study::FittedEntry>([=](study::FittedEntry& e) { e = study::fit_table(word, o); }));
}

py::dict replay(const std::string& file, const std::string& server, const py::dict& given) {
  study::ReplayOptions o;
  o.file = file, o.server = server;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key) && !given[key].is_none()) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("drive", o.drive), take("gpu", o.gpu), take("catalog", o.catalog), take("host", o.host),
      take("node_log", o.node_log), take("power_window_s", o.power_window_s), take("cap_W", o.cap_W);
  auto& hall = o.hall;
  take("plant", hall.plant), take("n_server", hall.n_server), take("climate", hall.climate),
      take("weather", hall.weather_epw), take("altitude_m", hall.altitude_m), take("year", hall.year),
      take("day", hall.day), take("hour", hall.hour), take("seed", hall.seed);
  if (given.contains("inlet_degC") && !given["inlet_degC"].is_none()) o.inlet_degC = given["inlet_degC"].cast<double>();
  const auto report = computed<study::ReplayReport>([o](study::ReplayReport& r) { r = study::replay_log(o); });
  std::vector<double> time_s, power_W, measured, predicted;
  std::vector<std::string> gpu;
  for (const auto& row : report->rows) {
    time_s.push_back(row.time_s), power_W.push_back(row.power_W), measured.push_back(row.measured_degC),
        predicted.push_back(row.predicted_degC);
    gpu.push_back(report->temperature[row.gpu].of);
  }
  return py::dict("json"_a = study::replay_json(*report), "text"_a = study::replay_text(*report), "time_s"_a = time_s,
                  "gpu"_a = gpu, "power_W"_a = power_W, "measured_degC"_a = measured, "predicted_degC"_a = predicted,
                  "hall_csv"_a = study::replay_hall_csv(*report));
}

std::string write_entry(const py::dict& given, const std::string& folder, bool force) {
  study::FittedEntry e{given["kind"].cast<std::string>(),
                       given["name"].cast<std::string>(),
                       given["toml"].cast<std::string>(),
                       {},
                       0.0,
                       "",
                       {}};
  for (const auto& item : given["values"]) {
    const auto v = item.cast<py::dict>();
    study::FitValue value{v["key"].cast<std::string>(), v["value"].cast<double>(), v["low"].cast<double>(),
                          v["high"].cast<double>()};
    value.identified = v["identified"].cast<bool>(), value.at_bound = v["at_bound"].cast<bool>();
    value.prior_low = v["before_low"].cast<double>(), value.prior_high = v["before_high"].cast<double>();
    e.values.push_back(std::move(value));
  }
  return study::write_entry(e, folder, force);
}

py::list bench(bool quick, bool grid_only, const std::string& scenarios, std::size_t n_thread) {
  const auto figures = computed<std::vector<bench::Figure>>([=](std::vector<bench::Figure>& out) {
    out = bench::run_benchmarks({quick, grid_only, scenarios, n_thread, {}});
  });
  py::list rows;
  for (const auto& f : *figures) rows.append(py::dict("key"_a = f.key, "value"_a = f.value, "how"_a = f.how));
  return rows;
}

}  // namespace

void bind_study(py::module_& m) {
  m.def("scenario_schema", [] { return study::scenario_schema(study::scenario_reference()); });
  m.def(
      "scenario_keys", [](const std::string& word) { return study::reference_text(study::scenario_reference(), word); },
      "word"_a);
  m.def("explain", &explain, "scenario"_a, "base"_a, "n_thread"_a, "n_fleet"_a, "progress"_a);
  m.def("play_waveform", &play_waveform, "result"_a, "options"_a);
  m.def("sweep_periods", &sweep_periods, "options"_a);
  m.def("play_network", &play_network, "options"_a);
  m.def("play_frequency", &play_frequency, "options"_a);
  m.def("stability", &stability, "options"_a);
  m.def("orders", &orders, "scenario"_a, "file"_a, "result"_a, "options"_a);
  m.def("plant", &plant, "name"_a, "climate"_a, "weather_epw"_a, "year"_a, "catalog_overlay"_a, "it_W"_a, "load_frac"_a,
        "days"_a, "step_s"_a, "seed"_a, "altitude_m"_a = 0.0);
  m.def("export_formats", &study::result_formats);
  m.def("export_window", &export_window, "result"_a, "options"_a);
  m.def("fit_gpu", &fit_gpu, "files"_a, "name"_a, "base"_a, "gpu"_a, "before_W"_a, "power_window_s"_a, "fan_frac"_a);
  m.def("fit_nodes", &fit_nodes, "file"_a, "name"_a, "events"_a, "meter_period_s"_a, "iterations_per_token"_a);
  m.def("fit_fans", &fit_fans, "file"_a, "name"_a);
  m.def("fit_overhead", &fit_overhead, "file"_a, "name"_a);
  m.def("fit_table", &fit_table, "word"_a, "options"_a);
  m.def("replay", &replay, "file"_a, "server"_a, "options"_a);
  m.def("write_entry", &write_entry, "entry"_a, "folder"_a, "force"_a);
  m.def("bench", &bench, "quick"_a, "grid_only"_a, "scenarios"_a, "n_thread"_a);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
