// Stops of jobs by their cause, and the steepest fall that each shows at the connection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run_result.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double ramp_s = 0.1, bin_s = 1e-3;

template <class T>
const std::vector<T>* values_of(const Result& result, const std::string& path) {
  for (const auto& a : result.arrays)
    if (a.path == path) return std::get_if<std::vector<T>>(&a.values);
  return nullptr;
}

/// Steepest fall over 0.1 s of the recorded milliseconds from `from_s` to `to_s`, W/s; NaN: no window holds their beginning.
double steepest_fall_W_per_s(const Result& result, double from_s, double to_s) {
  for (const auto& a : result.arrays) {
    if (!a.path.starts_with("/waveform_") || !a.path.ends_with("/time")) continue;
    const auto& time = std::get<std::vector<double>>(a.values);
    const auto* power = values_of<double>(result, a.path.substr(0, a.path.size() - 5) + "/pcc_W");
    if (power == nullptr || time.empty() || from_s - ramp_s < time.front() || from_s + ramp_s > time.back()) continue;
    constexpr auto w = static_cast<std::ptrdiff_t>(ramp_s / bin_s + 0.5);
    const auto at = [&](double s) { return std::lower_bound(time.begin(), time.end(), s) - time.begin(); };
    const auto first = std::max(w, at(from_s)), last = std::min(std::ssize(*power) - w, at(to_s));
    double steepest = 0.0;
    for (auto i = first; i <= last; ++i) {
      const auto t = power->begin() + i;
      const double fall_W = (std::accumulate(t - w, t, 0.0) - std::accumulate(t, t + w, 0.0)) / static_cast<double>(w);
      steepest = std::max(steepest, fall_W / ramp_s);
    }
    return steepest;
  }
  return std::nan("");
}

/// Time over which the processes of a job end: as used, and its range where it is assumed.
struct Spread {
  double s = 0.0, low_s = std::nan(""), high_s = std::nan("");
};

/// The job that an event names, itself or by one of its nodes.
const JobSpec* job_of(const Simulation& run, const std::string& entity) {
  const auto& jobs = run.model.scenario.jobs;
  const auto& number = run.model.fleet.node_number;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].name == entity) return &jobs[j];
    const auto& nodes = run.occupants[j];
    for (std::size_t n = nodes.first_node(); n < nodes.first_node() + nodes.n_node(); ++n)
      if (entity == fmt::format("node {}", number[n])) return &jobs[j];
  }
  return &jobs.front();
}

Spread spread_of(const Simulation& run, const std::string& entity) {
  const auto& scenario = run.model.scenario;
  const JobSpec* job = job_of(run, entity);
  Spread out{.s = job->life.tear_down_s};
  for (const auto& a : scenario.assumed)
    if (a.key == "job." + job->name + ".life.tear_down_s") out.low_s = a.low, out.high_s = a.high;
  return out;
}

/// Whether work may begin again with this event, or the servers are left without work.
bool ends_stop(const std::string& kind) {
  return kind == "restart" || kind == "planned_stop" || kind == "power_return";
}

/// One cause's stops.
struct Stops {
  std::int64_t n = 0;
  Spread spread;
  double fall_W_per_s = std::nan("");

  Value value() const {
    if (n == 0) return {};
    std::vector<std::pair<std::string, double>> out = {{"n", static_cast<double>(n)}, {"spread_s", spread.s}};
    if (std::isfinite(spread.low_s)) {
      out.emplace_back("spread_low_s", spread.low_s);
      out.emplace_back("spread_high_s", spread.high_s);
    }
    if (std::isfinite(fall_W_per_s)) out.emplace_back("ramp_down_max_MW_per_s", fall_W_per_s * 1e-6);
    return out;
  }
};

}  // namespace

void add_stops(const Simulation& run, Result& result) {
  const auto& scenario = run.model.scenario;
  const auto* time = values_of<double>(result, "/events/time");
  const auto* kind = values_of<std::string>(result, "/events/kind");
  const auto *entity = values_of<std::string>(result, "/events/entity"),
             *text = values_of<std::string>(result, "/events/text");
  Stops failure, kill, power_loss;
  for (std::size_t i = 0; time != nullptr && i < time->size(); ++i) {
    Stops* stops = (*kind)[i] == "failure" ? &failure : (*kind)[i] == "kill" ? &kill : nullptr;
    if ((*kind)[i] == "power_loss") stops = &power_loss;
    if (stops == nullptr || (*text)[i].starts_with("power lost")) continue;  // its own event tells of it
    ++stops->n;
    // Without power no process is left to end by itself: all stop at once.
    if (stops != &power_loss) stops->spread = spread_of(run, (*entity)[i]);
    double until_s = scenario.run.duration_s;
    for (std::size_t k = i + 1; k < time->size(); ++k)
      if (ends_stop((*kind)[k]) && (*time)[k] > (*time)[i]) {
        until_s = (*time)[k];
        break;
      }
    const double fall = steepest_fall_W_per_s(result, (*time)[i], until_s);
    if (!(stops->fall_W_per_s >= fall)) stops->fall_W_per_s = std::isfinite(fall) ? fall : stops->fall_W_per_s;
  }
  result.summary.emplace_back("stops_failure", failure.value());
  result.summary.emplace_back("stops_kill", kill.value());
  result.summary.emplace_back("stops_power_loss", power_loss.value());
}

}  // namespace TIDEWATT_NAMESPACE::sim
