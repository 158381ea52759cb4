#include "tidewatt/study/fit_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/name.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/base/text.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/io/durable_file.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/study/fit_entry.hpp"
#include "tidewatt/study/fit_fan_loop.hpp"
#include "tidewatt/study/fit_gpu_power.hpp"
#include "tidewatt/study/fit_job_log.hpp"
#include "tidewatt/study/fit_package.hpp"

namespace tidewatt::study {
namespace {

std::string fit_text(const char* title, const Fit& fit) {
  std::string out = fmt::format("{}: residual {:.4g} rms\n", title, fit.rms);
  for (const auto& v : fit.values)
    out += fmt::format("  {:<22} {:>10.5g}   95 %: {:.5g} … {:.5g}{}\n", v.key, v.value, v.low, v.high, v.determined ? "" : "   not determined by this log");
  return out;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void check_range(const char* key, double value, double low, double high) {
  if (!(value >= low && value <= high)) throw InputError(Finding{{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
}

template <class Params>
Params table_of(const std::string& entry, const char* table) {
  const Node node = catalog::Catalog().values("gpu", entry);
  std::vector<Finding> findings;
  Params p;
  const Node* at = node.find(table);
  if (!at) throw InputError(fmt::format("gpu '{}' has no [{}]", entry, table));
  TableReader r(*at, table, findings);
  p.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(findings);
  return p;
}

const GpuTelemetry& chosen(const std::vector<GpuTelemetry>& all, const std::string& gpu) {
  if (gpu.empty()) return all.front();
  std::vector<std::string> known;
  for (const auto& g : all) {
    if (g.gpu == gpu) return g;
    known.push_back(g.gpu);
  }
  const auto close = nearest(gpu, known);
  throw InputError(fmt::format("no GPU '{}' in the file{}; the first is '{}'", gpu, close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close), known.front()));
}

/// Intervals of resistances and time constants carry over to the parts that they decide.
std::vector<FittedValue> package_values(const thermal::PackageParams& p, const Fit& poles, const std::string& source) {
  const auto scaled = [&](const char* key, double value, const char* by) {
    for (const auto& v : poles.values)
      if (v.key == by) return FittedValue{key, value, value * v.low / v.value, value * v.high / v.value, source};
    throw InputError(key);
  };
  return {scaled("package.die_base_K_per_W", p.die_base_K_per_W, "fast_K_per_W"),
          scaled("package.base_sink_K_per_W", p.base_sink_K_per_W, "fast_K_per_W"),
          scaled("package.sink_air_K_per_W", p.sink_air_K_per_W, "slow_K_per_W"),
          scaled("package.base_J_per_K", p.base_J_per_K, "fast_s"),
          scaled("package.sink_J_per_K", p.sink_J_per_K, "slow_over_fast_ratio")};
}

/// Columns of a table as numbers; rows that lack one are left out.
std::vector<std::vector<double>> columns(const TextTable& t, std::initializer_list<std::initializer_list<const char*>> names) {
  std::vector<std::size_t> at;
  for (const auto& words : names) {
    const auto c = t.column(words);
    if (c < 0) throw InputError(fmt::format("{}: no column '{}'", t.file, *words.begin()));
    at.push_back(static_cast<std::size_t>(c));
  }
  std::vector<std::vector<double>> out(at.size());
  for (const auto& row : t.rows) {
    std::vector<double> x;
    for (const auto c : at) x.push_back(cell_number(row[c]));
    if (std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }))
      for (std::size_t i = 0; i < x.size(); ++i) out[i].push_back(x[i]);
  }
  return out;
}

/// An entry with nothing but the values of one fit.
FittedEntry entry_of_fit(const char* kind, const std::string& name, const std::string& file, const char* title, const Fit& fit) {
  const auto source = fmt::format("fitted to {}, residual {:.3g} rms", file_name(file), fit.rms);
  std::vector<FittedValue> values;
  for (const auto& v : fit.values) values.push_back({v.key, v.value, v.low, v.high, source});
  return {kind, name, entry_of(kind, name, values), fit.values, fit.rms, fit_text(title, fit)};
}

}  // namespace

FittedEntry fit_gpu_log(const FitGpuOptions& o) {
  check_range("power_delay_s", o.power_delay_s, 0.0, 30.0);
  check_range("fan_frac", o.fan_frac, 0.05, 1.0);
  const auto all = read_gpu_telemetry(o.file);
  auto g = chosen(all, o.gpu);
  g.record = undelayed(g.record, o.power_delay_s);
  const auto poles = fit_step(g.record, o.before_W >= 0.0 ? o.before_W : g.record.power_W.front());
  FittedEntry out{"gpu", o.name, "", poles.fit.values, poles.fit.rms, fmt::format("GPU {} of {}, {} samples\n", g.gpu, all.size(), g.record.size())};
  out.text += fmt::format("assumed: at rest at {:.4g} W before the record; each power is the mean of the {:g} s before it\n",
                          o.before_W >= 0.0 ? o.before_W : g.record.power_W.front(), 2.0 * o.power_delay_s);
  out.text += fit_text("thermal poles", poles.fit);
  const auto package = package_with_poles(table_of<thermal::PackageParams>(o.base, "package"), poles, o.fan_frac);
  const std::string source = fmt::format("fitted to {} samples of {}, {:.2g} K rms", g.record.size(), file_name(o.file), poles.rms_K);
  auto values = package_values(package, poles.fit, source);
  // What the record does not hold stays the base's, and the text says why.
  try {
    const auto p = table_of<power::GpuPowerParams>(o.base, "power");
    const auto leakage = fit_leakage(g, p.leakage_per_K, p.leakage_ref_K);
    out.text += fit_text("leakage at the record's clock", leakage);
    const auto& v = leakage.values[1];
    values.push_back({"power.leakage_W", v.value, v.low, v.high, source + ", at the record's clock"});
    out.values.insert(out.values.end(), leakage.values.begin(), leakage.values.end());
  } catch (const InputError& e) {
    out.text += fmt::format("leakage stays the base's: {}\n", e.what());
  }
  try {
    const auto levels = activity_levels(g, power::GpuModel(table_of<power::GpuPowerParams>(o.base, "power")));
    out.text += fmt::format("activity: {:.3f} ± {:.3f} for {:.0f} % of the time, else {:.3f} ± {:.3f}\n", levels.high, 1.96 * levels.high_sigma,
                            100.0 * levels.high_frac, levels.low, 1.96 * levels.low_sigma);
  } catch (const InputError& e) {
    out.text += fmt::format("{}\n", e.what());
  }
  out.toml = entry_from(catalog::Catalog().text("gpu", o.base), o.name, values);
  return out;
}

FittedEntry fit_nodes_log(const FitNodesOptions& o) {
  check_range("meter_period_s", o.meter_period_s, 0.01, 60.0);
  const auto log = o.events.empty() ? read_node_log(o.file) : read_job_log(o.file, o.events, o.iterations_per_token);
  const auto fit = fit_node_power(log.part(0.0, log.run_s), log.work, o.meter_period_s);
  return entry_of_fit("node_levels", o.name, o.file, "mean node", fit.fit);
}

FittedEntry fit_fans_log(const std::string& file, const std::string& name) {
  const auto c = columns(read_table(file), {{"power_mean_W", "powerave"},
                                            {"power_min_W", "powermin"},
                                            {"power_max_W", "powermax"},
                                            {"temperature_mean_degC", "tempave"}});
  std::vector<RestSample> samples;
  for (std::size_t i = 0; i < c[0].size(); ++i) samples.push_back({c[0][i], c[1][i], c[2][i], c[3][i] + 273.15});
  return entry_of_fit("fan_loop", name, file, "fan loop", fit_fan_loop(samples).fit);
}

FittedEntry fit_overhead_log(const std::string& file, const std::string& name) {
  const auto c = columns(read_table(file), {{"gpu_sum_W"}, {"node_W"}});
  return entry_of_fit("node_overhead", name, file, "node against its GPUs", fit_node_overhead(c[0], c[1]));
}

std::string write_entry(const FittedEntry& entry, const std::string& folder) {
  if (!is_name(entry.name)) throw InputError(Finding{{}, "name", fmt::format("'{}' is no name of a catalog entry: 1 to {} letters, digits, _ and -", entry.name, name_limit)});
  const auto below = std::filesystem::path(folder) / entry.kind;
  std::error_code ec;
  std::filesystem::create_directories(below, ec);
  const auto path = below / (entry.name + ".toml");
  io::write_durably(path.string(), entry.toml);
  return path.string();
}

}  // namespace tidewatt::study
