#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/io/durable_file.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/study/fit_entry.hpp"
#include "tidewatt/study/fit_fan_loop.hpp"
#include "tidewatt/study/fit_gpu_power.hpp"
#include "tidewatt/study/fit_job_log.hpp"
#include "tidewatt/study/fit_package.hpp"

namespace {

using namespace tidewatt;
using study::FittedValue;

struct Arguments {
  std::string file, events, base = "h100_sxm_700W", name, out = ".", gpu;
  double before_W = -1.0, fan_frac = 1.0, power_delay_s = 0.5, meter_period_s = 2.0, iterations_per_block_token = 0.0;
};

void print(const char* title, const study::Fit& fit) {
  fmt::print("{}: residual {:.4g} rms\n", title, fit.rms);
  for (const auto& v : fit.values)
    fmt::print("  {:<22} {:>10.5g}   95 %: {:.5g} … {:.5g}\n", v.key, v.value, v.low, v.high);
}

void write(const Arguments& a, const std::string& kind, const std::string& text) {
  const auto folder = std::filesystem::path(a.out) / kind;
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  const auto path = folder / (a.name + ".toml");
  io::write_durably(path.string(), text);
  fmt::print("{}: `--catalog {}` makes it {} '{}'\n", path.string(), a.out, kind, a.name);
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

const study::GpuTelemetry& chosen(const std::vector<study::GpuTelemetry>& all, const std::string& gpu) {
  if (gpu.empty()) return all.front();
  for (const auto& g : all)
    if (g.gpu == gpu) return g;
  throw InputError(fmt::format("no GPU '{}' in the file; the first is '{}'", gpu, all.front().gpu));
}

void fit_gpu(const Arguments& a) {
  const auto all = study::read_gpu_telemetry(a.file);
  auto g = chosen(all, a.gpu);
  g.record = study::undelayed(g.record, a.power_delay_s);
  const auto poles = study::fit_step(g.record, a.before_W >= 0.0 ? a.before_W : g.record.power_W.front());
  fmt::print("GPU {} of {}, {} samples\n", g.gpu, all.size(), g.record.size());
  print("thermal poles", poles.fit);
  const auto like = table_of<thermal::PackageParams>(a.base, "package");
  const auto package = study::package_with_poles(like, poles, a.fan_frac);
  const std::string source = fmt::format("fitted to {} samples of {}, {:.2g} K rms", g.record.size(),
                                         std::filesystem::path(a.file).filename().string(), poles.rms_K);
  // Intervals of resistances and time constants carry over to the parts that they decide.
  const auto scaled = [&](const char* key, double value, const char* by) {
    for (const auto& v : poles.fit.values)
      if (v.key == by) return FittedValue{key, value, value * v.low / v.value, value * v.high / v.value, source};
    throw InputError(key);
  };
  std::vector<FittedValue> values = {scaled("package.die_base_K_per_W", package.die_base_K_per_W, "fast_K_per_W"),
                                     scaled("package.base_sink_K_per_W", package.base_sink_K_per_W, "fast_K_per_W"),
                                     scaled("package.sink_air_K_per_W", package.sink_air_K_per_W, "slow_K_per_W"),
                                     scaled("package.base_J_per_K", package.base_J_per_K, "fast_s"),
                                     scaled("package.sink_J_per_K", package.sink_J_per_K, "slow_over_fast_ratio")};
  try {
    const auto p = table_of<power::GpuPowerParams>(a.base, "power");
    const auto leakage = study::fit_leakage(g, p.leakage_per_K, p.leakage_ref_K);
    print("leakage at the record's clock", leakage);
    const auto& v = leakage.values[1];
    values.push_back({"power.leakage_W", v.value, v.low, v.high, source + ", at the record's clock"});
  } catch (const InputError& e) {
    fmt::print("leakage stays the base's: {}\n", e.what());
  }
  try {
    const auto levels = study::activity_levels(g, power::GpuModel(table_of<power::GpuPowerParams>(a.base, "power")));
    fmt::print("activity: {:.3f} ± {:.3f} for {:.0f} % of the time, else {:.3f} ± {:.3f}\n", levels.high,
               1.96 * levels.high_sigma, 100.0 * levels.high_frac, levels.low, 1.96 * levels.low_sigma);
  } catch (const InputError& e) {
    fmt::print("{}\n", e.what());
  }
  write(a, "gpu", study::entry_from(catalog::Catalog().text("gpu", a.base), a.name, values));
}

/// Columns of a table as numbers; rows that lack one are left out.
std::vector<std::vector<double>> columns(const study::TextTable& t,
                                         std::initializer_list<std::initializer_list<const char*>> names) {
  std::vector<std::size_t> at;
  for (const auto& words : names) {
    const auto c = t.column(words);
    if (c < 0) throw InputError(fmt::format("{}: no column '{}'", t.file, *words.begin()));
    at.push_back(static_cast<std::size_t>(c));
  }
  std::vector<std::vector<double>> out(at.size());
  for (const auto& row : t.rows) {
    std::vector<double> x;
    for (const auto c : at) x.push_back(study::cell_number(row[c]));
    if (std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }))
      for (std::size_t i = 0; i < x.size(); ++i) out[i].push_back(x[i]);
  }
  return out;
}

std::vector<FittedValue> fitted(const study::Fit& fit, const Arguments& a) {
  const auto source =
      fmt::format("fitted to {}, residual {:.3g} rms", std::filesystem::path(a.file).filename().string(), fit.rms);
  std::vector<FittedValue> out;
  for (const auto& v : fit.values) out.push_back({v.key, v.value, v.low, v.high, source});
  return out;
}

void fit_nodes(const Arguments& a) {
  const auto log = a.events.empty() ? study::read_node_log(a.file)
                                    : study::read_job_log(a.file, a.events, a.iterations_per_block_token);
  const auto fit = study::fit_node_power(log.part(0.0, log.run_s), log.work, a.meter_period_s);
  print("mean node", fit.fit);
  write(a, "node_levels", study::entry_of("node_levels", a.name, fitted(fit.fit, a)));
}

void fit_fans(const Arguments& a) {
  const auto c = columns(study::read_table(a.file), {{"power_mean_W", "powerave"},
                                                     {"power_min_W", "powermin"},
                                                     {"power_max_W", "powermax"},
                                                     {"temperature_mean_degC", "tempave"}});
  std::vector<study::RestSample> samples;
  for (std::size_t i = 0; i < c[0].size(); ++i) samples.push_back({c[0][i], c[1][i], c[2][i], c[3][i] + 273.15});
  const auto fit = study::fit_fan_loop(samples);
  print("fan loop", fit.fit);
  write(a, "fan_loop", study::entry_of("fan_loop", a.name, fitted(fit.fit, a)));
}

void fit_overhead(const Arguments& a) {
  const auto c = columns(study::read_table(a.file), {{"gpu_sum_W"}, {"node_W"}});
  const auto fit = study::fit_node_overhead(c[0], c[1]);
  print("node against its GPUs", fit);
  write(a, "node_overhead", study::entry_of("node_overhead", a.name, fitted(fit, a)));
}

}  // namespace

void add_fit_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("fit", "parameters from telemetry, with intervals, as a catalog entry");
  c->require_subcommand(1);
  auto* gpu = c->add_subcommand("gpu", "thermal poles and leakage of a GPU from nvidia-smi, DCGM or generic CSV");
  gpu->add_option("file", a->file, "telemetry: time, power, temperature, clock")->required()->check(CLI::ExistingFile);
  gpu->add_option("--name", a->name, "name of the new entry")->required()->check(entry_name());
  gpu->add_option("--base", a->base, "gpu entry that gives what telemetry cannot");
  gpu->add_option("--gpu", a->gpu, "which GPU of the file; the first when not given");
  gpu->add_option("--before-W", a->before_W,
                  "power at which the GPU rested before the record; its first power when not given")->check(within(0, 1e5));
  gpu->add_option("--power-delay-s", a->power_delay_s,
                  "half the window of the power readings: 0.5 for a 1 s mean, 0 for instants")
      ->check(within(0.0, 30.0));
  gpu->add_option("--fan-frac", a->fan_frac, "fan speed during the record, 0.05 to 1")->check(within(0.05, 1.0));
  gpu->add_option("--out", a->out, "catalog folder to write into");
  gpu->callback([a] { fit_gpu(*a); });
  auto* nodes = c->add_subcommand("nodes", "power levels, dips and notches of nodes from power logs");
  nodes->add_option("file", a->file, "power log: time_ms or time_s, then one column of watts per node")
      ->required()
      ->check(CLI::ExistingFile);
  nodes->add_option("--events", a->events, "job events: time_ms, type, key, value, metadata")->check(CLI::ExistingFile);
  nodes->add_option("--name", a->name, "name of the new entry")->required()->check(entry_name());
  nodes->add_option("--meter-period-s", a->meter_period_s, "time between the meters' publications")
      ->check(within(0.01, 60.0));
  nodes->add_option("--iterations-per-token", a->iterations_per_block_token,
                    "iterations of a block ÷ its tokens; 0: iterations not resolved")->check(within(0, 1e6));
  nodes->add_option("--out", a->out, "catalog folder to write into");
  nodes->callback([a] { fit_nodes(*a); });
  auto* fans = c->add_subcommand("fans", "air, resistances and fan loop from temperatures at rest or hourly means");
  fans->add_option("file", a->file, "power_mean_W, power_min_W, power_max_W, temperature_mean_degC")
      ->required()
      ->check(CLI::ExistingFile);
  fans->add_option("--name", a->name, "name of the new entry")->required()->check(entry_name());
  fans->add_option("--out", a->out, "catalog folder to write into");
  fans->callback([a] { fit_fans(*a); });
  auto* overhead = c->add_subcommand("overhead", "a node's power against the sum of its GPUs");
  overhead->add_option("file", a->file, "gpu_sum_W, node_W")->required()->check(CLI::ExistingFile);
  overhead->add_option("--name", a->name, "name of the new entry")->required()->check(entry_name());
  overhead->add_option("--out", a->out, "catalog folder to write into");
  overhead->callback([a] { fit_overhead(*a); });
}
