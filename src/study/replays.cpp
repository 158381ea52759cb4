#include "replays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "event_instants_parts.hpp"
#include "sim/figure_list.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double usual_replay_s = 1800.0, behind_events_s = 600.0;  // of runs without a whole day
constexpr int n_phase = 5;                                          // of events within an iteration

double replayed_s(const sim::Scenario& s) {
  if (s.run.duration_s >= longest_replay_s) return longest_replay_s;
  double out_s = usual_replay_s;
  for (const auto& e : s.events) out_s = std::max(out_s, e.at_s + std::max(e.duration_s, 0.0) + behind_events_s);
  return std::min(out_s, s.run.duration_s);
}

}  // namespace

Figures figures_of(const sim::Scenario& scenario, bool checked) {
  sim::RunOptions options{1, {}};
  options.checked = checked;
  const auto result = sim::run(scenario, options);
  Figures out;
  for (const auto* h : sim::headline_figures())
    if (const double x = sim::figure(result, h->key); std::isfinite(x)) out[h->key] = x;
  return out;
}

ReducedFleet replayed_fleet(const sim::Scenario& scenario, std::vector<std::string>& notes) {
  ReducedFleet fleet = reduced_fleet(scenario);
  if (!fleet.whole.empty()) notes.push_back("replays have the whole fleet: " + fleet.whole);
  double& duration_s = fleet.scenario.run.duration_s;
  if (const double replay_s = replayed_s(scenario); replay_s < duration_s) {
    duration_s = replay_s;
    notes.push_back(fmt::format("replays cover the first {:.3g} h", duration_s / 3600.0));
  }
  // No headline comes from flicker, bands and cycles, which see the rated part alone: it is left empty, a tenth of the work.
  fleet.scenario.devices.rules_from_s = duration_s;
  fleet.scenario.devices.rules_until_s = 0.0;
  return fleet;
}

NominalFigures nominal_figures(const sim::Scenario& scenario, double iteration_s) {
  NominalFigures out{figures_of(scenario), {}};
  const bool moves = !scenario.events.empty() && std::isfinite(iteration_s);
  std::map<std::string, std::vector<double>> of_phases;
  for (const auto& [key, value] : out.as_is) of_phases[key] = {value};
  for (int i = 1; moves && i < n_phase; ++i) {
    sim::Scenario moved = scenario;
    const double by_s = iteration_s * i / n_phase;
    for (auto& e : moved.events)  // parts of a plant fail at whole milliseconds
      if (e.at_s > 0.0 && e.at_s + by_s < scenario.run.duration_s) e.at_s = detail::whole_ms(e.at_s + by_s);
    for (const auto& [key, value] : figures_of(moved)) of_phases[key].push_back(value);
  }
  for (const auto& [key, values] : of_phases) out.typical[key] = median(values);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
