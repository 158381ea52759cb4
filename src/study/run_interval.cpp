#include "run_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <stdexcept>

#include "run_interval_parts.hpp"
#include "scenario_tree.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using namespace detail;

constexpr std::array keys = {
    "throughput_swing_percent", "tokens_per_s_mean",          "pcc_mean_MW", "pcc_max_MW",   "pcc_step_1s_max_MW",
    "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s", "pue",         "wue_L_per_kWh"};
constexpr double budget_share = 0.2, budget_least_s = 2.0;  // of the run's processor time
constexpr double longest_replay_h = 24.0;
constexpr double z95 = 1.6448536269514722;  // standard normal, 95 %
constexpr std::size_t device = 0, weather = 1, seed = 2;
// Devices decide most; a cycle of replays.
constexpr std::array order = {device, weather, device, seed};
// Two cycles and the nominal run: fewer have no spread.
constexpr double least_replays = 9.0;
constexpr std::size_t least_turns = 2 * order.size();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Mean and variance of ln(K / K_nominal), a part's or of all parts, and what the number of draws leaves open of them.
struct Moments {
  double mean = 0.0, variance = 0.0, of_mean = 0.0, of_variance = 0.0;  ///< the last two: variances of the estimates
  bool known = false;

  void add(const Moments& other) {
    mean += other.mean, variance += other.variance;
    of_mean += other.of_mean, of_variance += other.of_variance;
    known = known || other.known;
  }
};

Moments moments_of(const std::vector<double>& logs) {
  const auto n = static_cast<double>(logs.size());
  if (logs.size() < 2) return {};
  Moments m;
  for (const double x : logs) m.mean += x / n;
  for (const double x : logs) m.variance += (x - m.mean) * (x - m.mean) / (n - 1.0);
  m.of_mean = m.variance / n;
  m.of_variance = 2.0 * m.variance * m.variance / (n - 1.0);
  m.known = true;
  return m;
}

FigureInterval interval_of(const char* key, double value, const Moments& m) {
  if (!m.known || !std::isfinite(value)) return {key, nan, nan, nan, nan};
  const double s = std::sqrt(m.variance), of_s = s > 0.0 ? std::sqrt(m.of_variance) / (2.0 * s) : 0.0;
  const double error = std::sqrt(m.of_mean + z95 * z95 * of_s * of_s);
  const double low = value * std::exp(m.mean - z95 * s), high = value * std::exp(m.mean + z95 * s);
  return {key, low, high, std::abs(low) * error, std::abs(high) * error};
}

/// Replays of one scenario: what all share, and the processor time they may take.
class Replays {
 public:
  Replays(const IntervalSource& source, Assignments reduced) : source_(source), load_(source.load) {
    load_.set.insert(load_.set.end(), std::make_move_iterator(reduced.begin()), std::make_move_iterator(reduced.end()));
    begin_s_ = cpu_s();
  }

  const sim::LoadOptions& load() const { return load_; }
  double spent_s() const { return cpu_s() - begin_s_; }
  double budget_s() const { return source_.cpu_s; }
  bool stopped() const { return source_.stop && source_.stop(); }
  /// Room for one more of the dearest so far.
  bool has_time() const { return spent_s() + dearest_s_ <= source_.cpu_s; }
  void set_for_all(const std::string& item) { load_.set.push_back(item); }

  /// Figures by key. @throws InputError, SolverError, RefusedError where the draw cannot be run
  std::map<std::string, double> run(const Assignments& draw) {
    const double before = cpu_s();
    auto load = load_;
    load.set.insert(load.set.end(), draw.begin(), draw.end());
    const auto result = sim::run(sim::read_scenario(source_.root, source_.folder, load), {1, {}});
    std::map<std::string, double> out;
    for (const char* key : keys) out[key] = sim::figure(result, key);
    dearest_s_ = std::max(dearest_s_, cpu_s() - before);
    return out;
  }

 private:
  const IntervalSource& source_;
  sim::LoadOptions load_;
  double begin_s_ = 0.0, dearest_s_ = 0.0;
};

/// The reduced run without draws, shortened until enough replays fit. @param hours simulated, in and out
std::map<std::string, double> nominal_run(Replays& replays, double& hours) {
  const double before = replays.spent_s();
  auto figures = replays.run({});
  const double each_s = replays.spent_s() - before, most_s = replays.budget_s() / least_replays;
  if (each_s <= most_s || hours <= 1.0) return figures;
  hours = std::max(1.0, std::floor(hours * most_s / each_s));
  replays.set_for_all(fmt::format("run.duration_h={}", hours));
  return replays.run({});
}

/// Logarithms of ratios, [part][key][draw].
using Logs = std::array<std::map<std::string, std::vector<double>>, 3>;

/// Replays in turn until the time is used. @returns number that failed
std::int64_t replay_all(Replays& replays, const std::array<PartDraws, 3>& parts,
                        const std::map<std::string, double>& nominal, Logs& logs, RunInterval& out) {
  std::array<std::size_t, 3> next{};
  std::int64_t failed = 0;
  const auto left = [&](std::size_t p) { return next[p] < parts[p].draws.size(); };
  for (std::size_t turn = 0; left(device) || left(weather) || left(seed); ++turn) {
    const std::size_t p = order[turn % order.size()];
    if (!left(p)) continue;
    if (replays.stopped()) break;
    if (turn >= least_turns && !replays.has_time()) break;
    try {
      const auto figures = replays.run(parts[p].draws[next[p]++]);
      ++out.n_draw, ++out.parts[p].n_draw;
      for (const auto& [key, value] : figures)
        if (value > 0.0 && nominal.at(key) > 0.0) logs[p][key].push_back(std::log(value / nominal.at(key)));
    } catch (const InputError&) {
      ++failed;
    } catch (const SolverError&) {
      ++failed;
    } catch (const RefusedError&) {
      ++failed;
    }
  }
  return failed;
}

void fill(const Logs& logs, const sim::Result& base, double floor_percent, RunInterval& out) {
  for (const char* key : keys) {
    const double value = sim::figure(base, key);
    const bool lost = std::string_view(key) == "throughput_swing_percent" && !(value > floor_percent);
    Moments all;
    for (std::size_t p = 0; p < logs.size(); ++p) {
      const auto at = logs[p].find(key);
      Moments m = lost || at == logs[p].end() ? Moments{} : moments_of(at->second);
      // Other seeds lie around the run's own: that the reduced run's few chips are unlike the mean says nothing of the whole fleet.
      if (p == seed) m.mean = 0.0, m.of_mean = 0.0;
      out.parts[p].figures.push_back(interval_of(key, value, m));
      all.add(m);
    }
    out.figures.push_back(interval_of(key, value, all));
  }
}

}  // namespace

std::span<const char* const> interval_keys() { return keys; }

IntervalSource interval_source(const std::string& path, const sim::LoadOptions& load, double run_cpu_s) {
  return {whole_tree(path), folder_of(path), load, std::max(budget_least_s, budget_share * run_cpu_s), {}};
}

RunInterval run_interval(const IntervalSource& source, const sim::Scenario& scenario, const sim::Result& base) {
  RunInterval out;
  out.parts[device].name = "devices and assumed inputs";
  out.parts[weather].name = "weather";
  out.parts[seed].name = "seed";
  auto reduced = reduced_fleet(scenario);
  out.n_gpu = reduced.n_gpu;
  if (!reduced.refusal.empty()) {
    out.notes.push_back("no intervals: " + reduced.refusal);
    return out;
  }
  Replays replays(source, reduced.set);
  out.replayed_h = scenario.run.duration_s / 3600.0;
  if (out.replayed_h > longest_replay_h) {
    out.replayed_h = longest_replay_h;
    replays.set_for_all(fmt::format("run.duration_h={}", out.replayed_h));
  }
  Logs logs;
  std::int64_t failed = 0;
  try {
    const auto nominal = nominal_run(replays, out.replayed_h);
    const std::array<PartDraws, 3> parts = {device_draws(scenario, reduced, source, replays.load()),
                                            weather_draws(scenario), seed_draws(scenario)};
    for (std::size_t p = 0; p < parts.size(); ++p) out.parts[p].note = parts[p].note;
    failed = replay_all(replays, parts, nominal, logs, out);
  } catch (const std::runtime_error& e) {
    out.notes.push_back(fmt::format("no intervals: the reduced scenario cannot be run: {}", e.what()));
    return out;
  }
  fill(logs, base, sim::figure(base, "throughput_swing_floor_percent"), out);
  if (failed > 0) out.notes.push_back(fmt::format("{} draws could not be run", failed));
  if (out.replayed_h * 3600.0 < scenario.run.duration_s)
    out.notes.push_back(fmt::format("replays cover the first {:.3g} h", out.replayed_h));
  out.cpu_s = replays.spent_s();
  return out;
}

void add_intervals(const RunInterval& interval, std::vector<std::pair<std::string, sim::Value>>& summary) {
  for (const auto& figure : interval.figures) {
    const auto at =
        std::find_if(summary.begin(), summary.end(), [&](const auto& item) { return item.first == figure.key; });
    if (at == summary.end()) continue;
    const auto end = [](double x) { return std::isfinite(x) ? sim::Value(x) : sim::Value(); };
    const auto low = summary.insert(at + 1, {figure.key + "_p05", end(figure.p05)});
    summary.insert(low + 1, {figure.key + "_p95", end(figure.p95)});
  }
}

}  // namespace TIDEWATT_NAMESPACE::study
