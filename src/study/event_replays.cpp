#include <algorithm>
#include <cmath>
#include <limits>

#include "event_instants.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr double no_limit_W = 1e15;

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
EdgeFigures part_figures(const sim::Result& result) {
  const auto& of = result.compliance.front().outcomes;
  const double peak_W = of[0].figure.value / of[1].figure.value;
  return {1e-6 * peak_W, 1e-6 * of[2].figure.value, 1e-6 * of[3].figure.value, 1e-6 * of[4].figure.value};
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

PartMeter::PartMeter(sim::Scenario scenario) : scenario_(std::move(scenario)) {
  scenario_.windows.clear();
  scenario_.grid_case.reset();
  // Measured by nobody until a replay says from when on.
  scenario_.devices.rules = {event_rules()};
  scenario_.devices.rules_from_s = scenario_.run.duration_s + 1.0;
  scenario_.devices.rules_until_s = 0.0;
}

EdgeFigures PartMeter::measure(const std::string& state, double from_s, double until_s, std::size_t moved,
                               double by_s) const {
  sim::Scenario s = scenario_;
  s.run.duration_s = until_s;
  s.devices.rules_from_s = from_s;
  if (moved < s.events.size()) s.events[moved].at_s = whole_ms(s.events[moved].at_s + by_s);
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

}  // namespace TIDEWATT_NAMESPACE::study::detail
