#include "fit_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/name.hpp"
#include "base/text.hpp"
#include "fit_entry.hpp"
#include "fit_fan_loop.hpp"
#include "fit_gpu_power.hpp"
#include "fit_job_log.hpp"
#include "fit_rests.hpp"
#include "fit_words.hpp"
#include "io/durable_file.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string fit_text(const char* title, const Fit& fit) {
  std::string out = fmt::format("{}: residual {:.4g} rms\n", title, fit.rms);
  for (const auto& v : fit.values) out += value_line(v);
  return out;
}

/// Columns of a table as numbers; rows that lack one are left out.
std::vector<std::vector<double>> columns(const TextTable& t,
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
    x.reserve(at.size());
    for (const auto c : at) x.push_back(cell_number(row[c]));
    if (std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }))
      for (std::size_t i = 0; i < x.size(); ++i) out[i].push_back(x[i]);
  }
  return out;
}

/// Residuals of samples at equal steps, into the entry and its text.
void add_residuals(FittedEntry& out, const char* title, const char* unit, double step_s, const Fit& fit) {
  std::vector<double> time_s;
  time_s.reserve(fit.residual.size());
  for (std::size_t i = 0; i < fit.residual.size(); ++i) time_s.push_back(static_cast<double>(i) * step_s);
  const FitNoise noise{fit.noise.white, fit.noise.drift, fit.noise.drift_s * step_s};
  out.residuals.push_back({title, unit, residual_report(time_s, fit.residual, noise)});
  out.text += "  " + residual_text(out.residuals.back().report, unit);
}

/// An entry with nothing but the values of one fit.
/// @param step_s  time between samples; 0: they are in no order of time, so that there is no spectrum
FittedEntry entry_of_fit(const char* kind, const std::string& name, const std::string& file, const char* title,
                         const Fit& fit, const char* unit, double step_s) {
  const auto source = fmt::format("fitted to {}, residual {:.3g} rms", file_name(file), fit.rms);
  std::vector<FittedValue> values;
  values.reserve(fit.values.size());
  for (const auto& v : fit.values) values.push_back({v.key, v.value, v.low, v.high, source});
  FittedEntry out{kind, name, entry_of(kind, name, values), fit.values, fit.rms, fit_text(title, fit), {}};
  if (step_s > 0.0) add_residuals(out, title, unit, step_s, fit);
  return out;
}

}  // namespace

std::string value_line(const FitValue& v) {
  const char* note = v.at_bound     ? "   at an end of the search: no estimate"
                     : v.identified ? ""
                                    : "   not identified by this log: the interval given before the fit";
  return fmt::format("  {:<22} {:>10.5g}   95 %: {:.5g} … {:.5g}{}\n", v.key, v.value, v.low, v.high, note);
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void check_range(const char* key, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw InputError(Finding{{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
}

FittedEntry fit_nodes_log(const FitNodesOptions& o) {
  check_range("meter_period_s", o.meter_period_s, 0.01, 60.0);
  const auto log = o.events.empty() ? read_node_log(o.file) : read_job_log(o.file, o.events, o.iterations_per_token);
  const auto run = log.part(0.0, log.run_s);
  const auto fit = fit_node_power(run, log.work, o.meter_period_s, find_rests(run));
  const double step_s = (run.time_s.back() - run.time_s.front()) / static_cast<double>(run.time_s.size() - 1);
  return entry_of_fit("node_levels", o.name, o.file, "mean node", fit.fit, "W", step_s);
}

FittedEntry fit_fans_log(const std::string& file, const std::string& name) {
  const auto c = columns(read_table(file), {{"power_mean_W", "powerave"},
                                            {"power_min_W", "powermin"},
                                            {"power_max_W", "powermax"},
                                            {"temperature_mean_degC", "tempave"}});
  std::vector<RestSample> samples;
  samples.reserve(c[0].size());
  for (std::size_t i = 0; i < c[0].size(); ++i) samples.push_back({c[0][i], c[1][i], c[2][i], c[3][i] + 273.15});
  return entry_of_fit("fan_loop", name, file, "fan loop", fit_fan_loop(samples).fit, "K", 0.0);
}

FittedEntry fit_overhead_log(const std::string& file, const std::string& name) {
  const auto c = columns(read_table(file), {{"gpu_sum_W"}, {"node_W"}});
  return entry_of_fit("node_overhead", name, file, "node against its GPUs", fit_node_overhead(c[0], c[1]), "W", 0.0);
}

std::vector<std::string> FittedEntry::at_bound() const {
  std::vector<std::string> out;
  for (const auto& v : values)
    if (v.at_bound) out.push_back(v.key);
  return out;
}

std::string write_entry(const FittedEntry& entry, const std::string& folder, bool force) {
  if (!is_name(entry.name))
    throw InputError(Finding{
        {},
        "name",
        fmt::format("'{}' is no name of a catalog entry: 1 to {} letters, digits, _ and -", entry.name, name_limit)});
  std::vector<Finding> findings;
  for (const auto& v : entry.values)
    if (v.at_bound && v.identified && !force)
      findings.push_back(
          {{},
           v.key,
           fmt::format(
               "{:.5g} is an end of the search and no estimate (before the log: {:.5g} to {:.5g}); --force writes it",
               v.value, v.prior_low, v.prior_high)});
  if (!findings.empty()) throw InputError(std::move(findings));
  const auto below = std::filesystem::path(folder) / entry.kind;
  std::error_code ec;
  std::filesystem::create_directories(below, ec);
  const auto path = below / (entry.name + ".toml");
  io::write_durably(path.string(), entry.toml);
  return path.string();
}

}  // namespace TIDEWATT_NAMESPACE::study
