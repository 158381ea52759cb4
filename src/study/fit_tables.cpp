#include "fit_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "fit_table_parts.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace table_fit {

Columns::Columns(const std::string& file) : table_(read_table(file)) {}

std::vector<double> Columns::numbers(std::ptrdiff_t column) const {
  std::vector<double> out(table_.rows.size(), std::numeric_limits<double>::quiet_NaN());
  if (column < 0) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = cell_number(table_.rows[i][static_cast<std::size_t>(column)]);
  return out;
}

std::vector<double> Columns::needed(std::initializer_list<const char*> names) const {
  const auto c = table_.column(names);
  if (c < 0) throw InputError(fmt::format("{}: no column '{}'", table_.file, *names.begin()));
  return numbers(c);
}

std::vector<double> Columns::optional(std::initializer_list<const char*> names) const {
  return numbers(table_.column(names));
}

std::vector<std::string> Columns::words(std::initializer_list<const char*> names) const {
  const auto c = table_.column(names);
  std::vector<std::string> out;
  for (std::size_t i = 0; c >= 0 && i < table_.rows.size(); ++i)
    out.push_back(table_.rows[i][static_cast<std::size_t>(c)]);
  return out;
}

std::vector<double> Columns::time_s() const {
  const auto c = table_.column({"time", "Time", "stamp"});
  std::vector<double> out;
  out.reserve(table_.rows.size());
  for (std::size_t i = 0; i < table_.rows.size(); ++i)
    out.push_back(c < 0 ? static_cast<double>(i) : table_.time_s(table_.rows[i], static_cast<std::size_t>(c)));
  return out;
}

EntryMaker::EntryMaker(const EntryBase& base, const FitTableOptions& o)
    : base_(base),
      out_{base.kind(), o.name, "", {}, 0.0, "", {}},
      source_(fmt::format("fitted to {}{}", file_name(o.files.front()),
                          o.files.size() > 1 ? fmt::format(" and {} more", o.files.size() - 1) : "")) {}

void EntryMaker::add(const std::string& title, const Posterior& fit, std::span<const double> time_s, const char* unit,
                     const std::vector<std::pair<std::string, std::string>>& keys) {
  out_.text += fmt::format("{}: {} readings\n", title, time_s.size());
  if (out_.rms == 0.0) out_.rms = fit.fit.rms;
  add_values(fit.fit.values, keys);
  out_.residuals.push_back({title, unit, residual_report(time_s, fit.residual, fit.noise)});
  out_.text += "  " + residual_text(out_.residuals.back().report, unit);
  const auto& values = fit.fit.values;
  if (std::none_of(values.begin(), values.end(), [](const auto& v) { return v.identified; }))
    out_.text +=
        "  this log identifies nothing: the residuals say whether it is too short, or not of what the base describes\n";
}

void EntryMaker::add_gpu(const std::string& gpu, const Posterior& fit, std::span<const double> time_s,
                         const char* unit) {
  FittedGpu one{gpu, source_, "", time_s.size(), fit.fit.values, residual_report(time_s, fit.residual, fit.noise),
                unit};
  out_.text += fmt::format("GPU {}: {} readings\n", gpu, time_s.size());
  std::erase_if(one.values, [](const auto& v) { return v.key == "activity_idle"; });
  for (const auto& v : one.values) out_.text += value_line(v);
  out_.text += "  " + residual_text(one.residuals, unit);
  if (out_.rms == 0.0) out_.rms = fit.fit.rms;
  out_.gpus.push_back(std::move(one));
}

void EntryMaker::add_values(const std::vector<FitValue>& values,
                            const std::vector<std::pair<std::string, std::string>>& keys) {
  for (const auto& v : values) {
    if (v.key == "activity_idle") continue;  // without a program nothing switches
    out_.text += value_line(v);
    out_.values.push_back(v);
    const auto at = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.first == v.key; });
    if (at != keys.end() && v.identified) values_.push_back({at->second, v.value, v.low, v.high, source_});
  }
}

FittedEntry EntryMaker::done() {
  out_.toml = entry_from(base_.text(), out_.name, values_);
  return std::move(out_);
}

}  // namespace table_fit

std::span<const TableFit> table_fits() {
  static const std::vector<TableFit> list = {
      {"clocks",
       "V/f, activity, leakage and its slopes, and the cap's margin from clocks and caps",
       "power_W, clock_MHz, temperature_degC; limit_W, gpu, load or experiment",
       "h100_sxm_700W",
       {},
       &table_fit::clocks},
      {"limiter",
       "window and margin of the power limiter from a load that switches",
       "time, power_W, limit_W, load_frac or load_s; clock_MHz, temperature_degC",
       "h100_sxm_700W",
       {"governor", "power_window_s"},
       &table_fit::limiter},
      {"server",
       "host, fans, conversion and supplies of a server from its input power",
       "gpu_sum_W, node_W; fan_frac, busy, time",
       "dgx_h100",
       {},
       &table_fit::server},
      {"rows",
       "preheating of the rear GPU row and the resistance of each slot",
       "time, gpu, power_W, temperature_degC; inlet_degC",
       "dgx_h100",
       {"gpu", "rear", "fan_frac"},
       &table_fit::rows},
      {"feeder",
       "losses of one feeder level from the meters around it",
       "input_W, output_W; output_var, time",
       "hall_480V",
       {"level", "branches", "meter_frac"},
       &table_fit::feeder},
      {"plant",
       "coefficients of a cooling plant from its power",
       "it_W, plant_W, drybulb_degC, and wetbulb_degC, dewpoint_degC or rh_frac; pressure_Pa, fan_W, pump_W, "
       "chiller_W, "
       "rejection_W, time",
       "outside_air_evaporative",
       {"rated_it_W"},
       &table_fit::plant},
      {"failures",
       "failure rates and repair times from a list of failures, or of jobs",
       "cause; repair_h — or state, nodes, elapsed_s",
       "rsc1",
       {"nodes", "days"},
       &table_fit::failures},
      {"jitter",
       "scatter of iteration times",
       "iteration_s, or time of each iteration's end",
       "llama3_405b",
       {"replicas", "resolution_s"},
       &table_fit::jitter}};
  return list;
}

FittedEntry fit_table(const std::string& word, FitTableOptions o) {
  std::vector<std::string> words;
  for (const auto& f : table_fits()) {
    words.emplace_back(f.word);
    if (word != f.word) continue;
    if (o.files.empty()) throw InputError("no file");
    if (o.base.empty()) o.base = f.base;
    check_range("branches", o.branches, 1.0, 1e5);
    check_range("meter_frac", o.meter_frac, 0.0001, 0.1);
    check_range("replicas", o.replicas, 1.0, 1e6);
    check_range("resolution_s", o.resolution_s, 0.0, 60.0);
    check_range("nodes", o.nodes, 0.0, 1e7);
    check_range("days", o.days, 0.0, 1e5);
    check_range("rated_it_W", o.rated_it_W, 0.0, 1e10);
    check_range("fan_frac", o.fan_frac, 0.05, 1.0);
    check_range("power_window_s", o.power_window_s, 0.0, 30.0);
    return f.run(o);
  }
  throw InputError(fmt::format("no fit '{}' (did you mean '{}'?)", word, nearest(word, words)));
}

}  // namespace TIDEWATT_NAMESPACE::study
