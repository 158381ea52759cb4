#include "run_chance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <stdexcept>

#include "event_instants.hpp"
#include "fleet_expectation.hpp"
#include "input_draws.hpp"
#include "replays.hpp"
#include "sim/figure_list.hpp"
#include "sim/fleet_clocks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::uint64_t inputs_seed = 1;

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

ChancePart part(const char* name) {
  ChancePart out;
  out.name = name;
  return out;
}

/// Adds ln(K / K_nominal) of one replay. @returns whether it could be run
template <class Make>
void replay(ChancePart& part, const Figures& nominal, Make&& make) {
  Figures drawn;
  try {
    drawn = make();
  } catch (const std::runtime_error& e) {  // InputError, RefusedError, SolverError: an error of the product
    ++part.n_failed;
    if (const std::string why = fmt::format("a draw failed: {}", e.what()); part.note.find(why) == std::string::npos)
      part.note += (part.note.empty() ? "" : "; ") + why;
    return;
  }
  ++part.n_draw;
  for (const auto& [key, value] : drawn)
    if (const auto at = nominal.find(key); at != nominal.end() && value > 0.0 && at->second > 0.0)
      part.logs[key].push_back(std::log(value / at->second));
}

ChancePart inputs_part(const ReducedFleet& fleet, const Figures& nominal, const ChanceOptions& o) {
  ChancePart out = part("inputs");
  const auto drawn =
      input_draws(fleet, catalog::Catalog(o.catalog_overlay), static_cast<std::size_t>(o.n_input), inputs_seed, true);
  if (drawn.n_refused > 0)
    out.note = fmt::format("{} draws contradicted themselves and were drawn again, the first: {}", drawn.n_refused,
                           drawn.refusal);
  if (drawn.draws.empty() && drawn.n_refused == 0) out.note = "no assumed input has a range";
  if (drawn.draws.empty() && drawn.n_refused > 0) out.n_failed = o.n_input;
  for (const auto& drawn_scenario : drawn.scenarios) {
    if (o.stop && o.stop()) break;
    replay(out, nominal, [&] { return figures_of(drawn_scenario, true); });
  }
  return out;
}

ChancePart weather_part(const ReducedFleet& fleet, const Figures& nominal, const ChanceOptions& o) {
  ChancePart out = part("weather");
  const auto days = day_draws(fleet.scenario, static_cast<std::size_t>(o.n_day));
  out.note = days.note;
  for (const auto& start : days.starts) {
    if (o.stop && o.stop()) break;
    replay(out, nominal, [&] {
      auto s = fleet.scenario;
      s.run.start = start;
      return figures_of(s);
    });
  }
  return out;
}

/// Of a run of more than a day, the fleets of its first day.
ChancePart fleet_part(sim::Scenario scenario, const sim::Result& base, const ChanceOptions& o) {
  if (o.clocks != nullptr && scenario.run.duration_s <= longest_replay_s)
    return fleet_expectation({scenario, base, *o.clocks}, {1, 1, o.stop});
  scenario.run.duration_s = std::min(scenario.run.duration_s, longest_replay_s);
  std::erase_if(scenario.windows, [&](const auto& w) { return w.start_s >= scenario.run.duration_s; });
  sim::FleetClocks clocks(false);
  sim::RunOptions again{1, {}};
  again.clocks = &clocks;
  const auto day = sim::run(scenario, again);
  return fleet_expectation({scenario, day, clocks}, {1, 1, o.stop});
}

/// Why a headline of the run has no interval; empty: it has one.
std::string without(const sim::Result& base, const std::string& key) {
  if (key != "throughput_swing_percent") return "";
  const double value = sim::figure(base, key);
  if (!std::isfinite(value)) return "the run has no whole day of training";
  return value > sim::figure(base, "throughput_swing_floor_percent")
             ? ""
             : "the swing is within the error of the engine's steps";
}

}  // namespace

Chance run_chance(const sim::Scenario& scenario, const sim::Result& base, const ChanceOptions& o) {
  const double begin_s = cpu_s();
  Chance out;
  const ReducedFleet fleet = replayed_fleet(scenario, out.notes);
  out.n_gpu = fleet.n_gpu, out.replayed_h = fleet.scenario.run.duration_s / 3600.0;
  NominalFigures nominal;
  try {
    nominal = nominal_figures(fleet.scenario, sim::figure(base, "iteration_s"));
  } catch (const std::runtime_error& e) {
    out.notes.push_back(fmt::format("the reduced fleet cannot be run: {}", e.what()));
  }
  auto instants = event_instants(scenario, base, o.n_instant);
  out.event_p50 = std::move(instants.p50), out.event_max = std::move(instants.max),
  out.bound = std::move(instants.bound);
  out.parts = {fleet_part(scenario, base, o), std::move(instants.part), part("inputs"), part("weather"), o.model};
  out.parts.back().name = "model";
  if (nominal.as_is.empty()) {
    out.parts[2].n_failed = o.n_input;
  } else {
    out.parts[2] = inputs_part(fleet, nominal.typical, o);
    out.parts[3] = weather_part(fleet, nominal.as_is, o);
  }
  for (const auto* headline : sim::headline_figures()) {
    const std::string key = headline->key;
    const bool there =
        std::any_of(base.summary.begin(), base.summary.end(), [&](const auto& item) { return item.first == key; });
    if (!there) continue;
    const std::string why = without(base, key);
    out.figures.push_back(
        combine(key, why.empty() ? sim::figure(base, key) : std::nan(""), out.parts, physical_bounds(key, base)));
    out.figures.back().note = why;
  }
  out.cpu_s = cpu_s() - begin_s;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
