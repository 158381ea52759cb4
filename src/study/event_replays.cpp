#include <algorithm>
#include <cmath>
#include <functional>

#include "event_instants.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double no_limit_W = 1e15;
constexpr double longest_iteration_s = 60.0;  ///< by which a step may exceed the longest macro step
constexpr double after_s = 2.0;               ///< measured after an edge
constexpr double try_s = 0.025;               ///< a quarter of a ramp's mean: edges that miss each other by less add up

/// The meters of rules, because they alone measure a part of a run: range, range ÷ peak, step, ramps.
grid::RuleSet event_rules() {
  const auto rule = [](const char* name, grid::Metric metric, double window_s) {
    return grid::Rule{.name = name,
                      .title = name,
                      .metric = metric,
                      .window_s = window_s,
                      .low_Hz = 0.0,
                      .high_Hz = 0.0,
                      .limit = no_limit_W};
  };
  return {"event_instants",
          "",
          "",
          {rule("range", grid::Metric::range, 0.0), rule("share", grid::Metric::range_share, 0.0),
           rule("step", grid::Metric::step, 1.0), rule("up", grid::Metric::ramp_up, 0.1),
           rule("down", grid::Metric::ramp_down, 0.1)}};
}

/// As `event_keys()`: MW, MW, MW/s, MW/s.
PartFigures part_figures(const sim::Result& result) {
  const auto& of = result.compliance.front().outcomes;
  const double peak_W = of[0].figure.value / of[1].figure.value;
  PartFigures out{{1e-6 * peak_W}, {std::nan("")}};
  for (std::size_t k = 1; k < out.value.size(); ++k) {
    const auto& figure = of[k + 1].figure;
    out.value[k] = 1e-6 * figure.value;
    out.at_s[k] = figure.worst < 0 ? std::nan("") : seconds(figure.worst);
  }
  return out;
}

}  // namespace

EdgeFigures largest(const EdgeFigures& a, const EdgeFigures& b) {
  EdgeFigures out;
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = std::isnan(a[k]) ? b[k] : a[k] >= b[k] || std::isnan(b[k]) ? a[k] : b[k];
  return out;
}

EdgeFigures summary_figures(const sim::Result& result) {
  EdgeFigures out;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = sim::figure(result, event_keys()[k]);
  return out;
}

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  } catch (const SolverError& e) {
    return e.what();
  }
  return {};
}

PartMeter::PartMeter(sim::Scenario scenario) : scenario_(std::move(scenario)) {
  scenario_.windows.clear();
  scenario_.grid_case.reset();
  // Measured by nobody until a replay says from when on.
  scenario_.devices.rules = {event_rules()};
  scenario_.devices.rules_from_s = scenario_.run.duration_s + 1.0;
  scenario_.devices.rules_until_s = 0.0;
}

PartFigures PartMeter::measure(const std::string& state, double from_s, double until_s, const Move& move,
                               double end_s) const {
  sim::Scenario s = scenario_;
  s.devices.rules_until_s = whole_ms(std::min(until_s, s.run.duration_s));
  s.run.duration_s = whole_ms(std::min(std::max(until_s, end_s), s.run.duration_s));
  s.devices.rules_from_s = from_s;
  if (move.event < s.events.size()) {
    auto& event = s.events[move.event];
    event.at_s = whole_ms(event.at_s + move.begin_s);
    event.duration_s = whole_ms(event.duration_s + move.end_s);
  }
  sim::Engine engine(s, one_thread());
  engine.restore(state, true);
  return part_figures(engine.finish());
}

EdgeFigures PartMeter::measure_start(const std::string& state, double until_s) const {
  sim::Scenario s = scenario_;
  s.run.duration_s = until_s;
  sim::Engine engine(s, one_thread());
  engine.restore(state, true);
  return summary_figures(engine.finish());
}

double last_iteration_s(sim::Engine& engine, const sim::Scenario& scenario, std::int64_t job,
                        const std::vector<double>& run_s) {
  double out = 0.0;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    if (job >= 0 && static_cast<std::size_t>(job) != j) continue;
    const auto value = engine.read("job." + scenario.jobs[j].name + ".iteration_s");
    const auto* last_s = std::get_if<double>(&value);
    out = std::max(out, last_s != nullptr && *last_s > 0.0 ? *last_s : run_s[j]);
  }
  return out;
}

RunPass::RunPass(const sim::Scenario& scenario, const std::string& state)
    : longest_step_s_(scenario.run.macro_step_max_s + longest_iteration_s), engine_(scenario, one_thread()) {
  if (!state.empty()) engine_.restore(state);
}

const std::string& RunPass::before(double t_s) {
  while (state_.empty() || (!engine_.done() && engine_.time_s() <= t_s)) {
    if (state_.empty() || engine_.time_s() + longest_step_s_ > t_s) state_ = engine_.save();
    if (!engine_.done()) engine_.step();
  }
  return state_;
}

double aligned_figure(const PartMeter& meter, const std::string& state, std::size_t event, const EventEdge& edge,
                      double regular_s, std::size_t key) {
  const double extreme_s = meter.measure(state, regular_s, edge.at_s).at_s[key];
  if (std::isnan(extreme_s)) return extreme_s;
  // The edge moves back to it. Devices answer some milliseconds later, so a few instants around it are tried.
  double best = 0.0;
  for (const double i : {-1.5, -0.5, 0.5, 1.5}) {
    const double by_s = whole_ms(std::min(extreme_s - edge.at_s, 0.0) + i * try_s);
    const Move move = edge.ends ? Move{event, 0.0, by_s} : Move{event, by_s, 0.0};
    best = std::max(best, meter.measure(state, regular_s, whole_ms(edge.at_s + by_s + after_s), move).value[key]);
  }
  return best;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
