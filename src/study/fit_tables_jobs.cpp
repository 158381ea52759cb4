#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fit_rates.hpp"
#include "fit_table_parts.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study::table_fit {
namespace {

constexpr double rate_factor = 10.0;  // a cause's rate before the log, to either side of the base's mean
constexpr double repair_low_h = 0.2, repair_high_h = 72.0, day_s = 86400.0;  // assumed: a restart, three days

struct Cause {
  double count = 0.0, repaired = 0.0, repair_h = 0.0;
};
struct Failures {
  std::map<std::string, Cause> by_cause;
  double node_days = 0.0;
};

/// A list of failures under watch of `nodes` for `days`.
Failures of_events(const Columns& c, const FitTableOptions& o) {
  if (!(o.nodes > 0.0 && o.days > 0.0))
    throw InputError("a list of failures needs --nodes and --days: how many nodes were watched and for how long");
  Failures out;
  out.node_days = o.nodes * o.days;
  const auto repair_h = c.optional({"repair_h"});
  auto cause = c.words({"cause"});
  if (cause.empty()) cause.assign(repair_h.size(), "node_failure");
  for (std::size_t i = 0; i < cause.size(); ++i) {
    auto& one = out.by_cause[cause[i].empty() ? "unknown" : cause[i]];
    one.count += 1.0;
    if (std::isfinite(repair_h[i])) one.repaired += 1.0, one.repair_h += repair_h[i];
  }
  return out;
}

/// Jobs of a scheduler: those that ended with a failed node, and node days of all.
Failures of_jobs(const Columns& c) {
  Failures out;
  const auto state = c.words({"state"});
  const auto nodes = c.needed({"nodes"}), elapsed_s = c.needed({"elapsed_s"});
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (std::isfinite(nodes[i]) && std::isfinite(elapsed_s[i])) out.node_days += nodes[i] * elapsed_s[i] / day_s;
    if (state[i].find("NODE_FAIL") != std::string::npos) out.by_cause["node_failure"].count += 1.0;
  }
  out.by_cause["node_failure"];
  return out;
}

std::string key_of(std::string cause) {
  for (char& ch : cause)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return cause;
}

/// The entry's file: lists over the causes.
std::string failures_toml(const FitTableOptions& o, const std::vector<std::string>& causes,
                          const std::vector<FitValue>& rates, const std::vector<FitValue>& repairs,
                          const std::string& source) {
  const auto list = [](const std::vector<FitValue>& values) {
    std::vector<double> x;
    x.reserve(values.size());
    for (const auto& v : values) x.push_back(v.value);
    return fmt::format("[{:.6g}]", fmt::join(x, ", "));
  };
  const auto range = [](const std::vector<FitValue>& values) {
    double low = values[0].low, high = values[0].high;
    for (const auto& v : values) low = std::min(low, v.low), high = std::max(high, v.high);
    return fmt::format("[{:.6g}, {:.6g}]", low, high);
  };
  std::string names, out = fmt::format("schema = 1\nkind = \"failures\"\nname = \"{}\"\n", o.name);
  for (const auto& c : causes) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", c);
  out += fmt::format("causes = [{}]\nrate_per_node_day = {}\n", names, list(rates));
  const bool repaired = repairs.size() == rates.size();
  if (repaired) out += fmt::format("repair_h = {}\n", list(repairs));
  out += fmt::format("\n[sources]\ncauses = \"[D] {0}\"\nrate_per_node_day = \"[D] {0}\"\n", source);
  if (repaired) out += fmt::format("repair_h = \"[D] {}\"\n", source);
  out += fmt::format("\n[assumed]\nrate_per_node_day = {}\n", range(rates));
  if (repaired) out += fmt::format("repair_h = {}\n", range(repairs));
  return out;
}

}  // namespace

FittedEntry failures(const FitTableOptions& o) {
  const Columns c(o.files.front());
  const bool jobs = c.has({"state"}) && c.has({"elapsed_s"});
  const auto counted = jobs ? of_jobs(c) : of_events(c, o);
  const EntryBase base("failures", o.base);
  const Node* rates_of_base = base.values().find("rate_per_node_day");
  double base_per_day = 0.0;
  if (rates_of_base && rates_of_base->is_array())
    for (const auto& r : std::get<Node::Array>(rates_of_base->value))
      base_per_day += std::holds_alternative<double>(r.value) ? std::get<double>(r.value) : 0.0;
  if (!(base_per_day > 0.0)) throw InputError(fmt::format("failures '{}' has no rate per node", o.base));
  if (counted.by_cause.empty()) throw InputError(fmt::format("{}: no failure in the list", c.file()));
  const double middle = base_per_day / static_cast<double>(counted.by_cause.size());

  std::vector<std::string> causes;
  std::vector<FitValue> rates, repairs;
  double n = 0.0;
  for (const auto& [cause, one] : counted.by_cause) {
    causes.push_back(key_of(cause));
    rates.push_back(fit_rate({"rate_per_node_day_" + causes.back(), middle / rate_factor, middle * rate_factor, true},
                             one.count, counted.node_days));
    if (one.repaired > 0.0)
      repairs.push_back(
          fit_mean_time({"repair_h_" + causes.back(), repair_low_h, repair_high_h, true}, one.repaired, one.repair_h));
    n += one.count;
  }
  const auto source = fmt::format("{:g} failures in {:.4g} node days of {}", n, counted.node_days, file_name(c.file()));
  FittedEntry out{"failures", o.name, failures_toml(o, causes, rates, repairs, source), rates, 0.0, source + "\n", {}};
  out.values.insert(out.values.end(), repairs.begin(), repairs.end());
  for (const auto& v : out.values) out.text += value_line(v);
  if (repairs.size() != rates.size())
    out.text += "repair times are not written: not every cause has one (column repair_h)\n";
  return out;
}

FittedEntry jitter(const FitTableOptions& o) {
  const Columns c(o.files.front());
  auto t = c.optional({"iteration_s", "step_time_s"});
  if (!c.has({"iteration_s", "step_time_s"})) {
    const auto end_s = c.time_s();
    if (!c.has({"time", "Time", "stamp"}))
      throw InputError(fmt::format("{}: no column 'iteration_s' or 'time'", c.file()));
    t.clear();
    for (std::size_t i = 1; i < end_s.size(); ++i) t.push_back(end_s[i] - end_s[i - 1]);
  }
  std::erase_if(t, [](double x) { return !std::isfinite(x); });
  const EntryBase base("job", o.base);
  const auto fit = fit_jitter(base.prior("jitter_sigma_frac", 10.0), t, o.replicas, o.resolution_s);
  EntryMaker out(base, o);
  out.say(fmt::format("{} iterations, {:g} replicas; {} beyond a factor of 1.5 of the median are left out",
                      fit.residual.size(), o.replicas, fit.n_outlier));
  out.add_values({fit.sigma_frac, fit.iteration_s}, {{"jitter_sigma_frac", "jitter_sigma_frac"}});
  std::vector<double> at_s;
  double sum_s = 0.0;
  at_s.reserve(fit.residual.size());
  for (const double r : fit.residual) at_s.push_back(sum_s), sum_s += fit.iteration_s.value + std::max(0.0, r);
  auto entry = out.done();
  double square = 0.0;
  for (const double r : fit.residual) square += r * r;
  entry.rms = std::sqrt(square / static_cast<double>(fit.residual.size()));
  const auto noise = fit_noise(at_s, fit.residual, {}, {});
  entry.residuals.push_back({"iteration times about their mean", "s", residual_report(at_s, fit.residual, noise)});
  entry.text += "  " + residual_text(entry.residuals.back().report, "s");
  return entry;
}

}  // namespace TIDEWATT_NAMESPACE::study::table_fit
