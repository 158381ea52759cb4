#include "event_instants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/median.hpp"
#include "draws.hpp"
#include "event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using detail::EdgeFigures;
using detail::Stretch;

constexpr const char* keys[] = {"pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s",
                                "pcc_ramp_down_max_MW_per_s"};
static_assert(std::size(keys) == std::tuple_size_v<EdgeFigures>);

constexpr std::size_t most_stretches = 12;  ///< replayed: more events hardly raise the largest figure
constexpr double same_frac = 1e-3;          ///< figures that differ by less are of one edge
constexpr double overlap_s = 1.5;           ///< of neighbouring parts, so that no step or ramp lies between them
constexpr std::size_t ramps[] = {2, 3};     ///< of the keys
constexpr double raised_frac = 0.01;        ///< by which an edge sets a figure, or may set it
constexpr double near_s = 1.0;              ///< between an event's edge and the figure that it makes
constexpr EdgeFigures nothing{0.0, 0.0, 0.0, 0.0};

/// Figures of a run's parts.
struct Parts {
  EdgeFigures outside = nothing;                                         ///< of all stretches
  std::map<std::size_t, std::vector<std::optional<EdgeFigures>>> moved;  ///< [event][instant]
  EdgeFigures aligned = nothing;  ///< of edges that fall on the iteration's own extremes
};

/// A part between stretches, and the state to begin it from.
struct Gap {
  std::string state;
  double from_s = 0.0, until_s = 0.0;
};

/// The instant with the largest figure of a stretch.
struct Largest {
  double value = 0.0, at_s = 0.0, by_s = 0.0;  ///< at_s: when it occurred  by_s: by how much the event was moved
};

/// Adds a stretch's figures to those of its event's instants. An instant without a replay has none.
std::array<Largest, std::size(keys)> replay(const detail::PartMeter& meter, const std::string& state,
                                            const Stretch& stretch, double iteration_s,
                                            std::vector<std::optional<EdgeFigures>>& instants) {
  std::array<Largest, std::size(keys)> out{};
  for (std::size_t i = 0; i < instants.size(); ++i) {
    if (!instants[i]) continue;
    const double by_s = detail::whole_ms(iteration_s * static_cast<double>(i) / static_cast<double>(instants.size()));
    // To the end of a macro step, so that the steps are those of the whole run.
    const double until_s = stretch.until_s + by_s, step_s = meter.scenario().run.macro_step_s,
                 end_s = std::ceil(until_s / step_s) * step_s;
    const std::string failure = detail::failure_of([&] {
      const auto part = meter.measure(state, stretch.from_s, until_s, {stretch.event, by_s, 0.0}, end_s);
      instants[i] = detail::largest(*instants[i], part.value);
      for (std::size_t k = 0; k < out.size(); ++k)
        if (part.value[k] > out[k].value) out[k] = {part.value[k], part.at_s[k], by_s};
    });
    if (!failure.empty()) instants[i].reset();
  }
  return out;
}

/// Edges that raise a ramp are also put where the iteration's own is steepest. An edge that cannot be has no such figure.
void align(const detail::PartMeter& meter, const std::string& state, const Stretch& stretch,
           const std::array<Largest, std::size(keys)>& found, const EdgeFigures& regular, EdgeFigures& aligned) {
  for (const std::size_t k : ramps) {
    const auto& most = found[k];
    if (!(most.value > regular[k] * (1.0 + raised_frac))) continue;
    const auto apart_s = [&](const detail::EventEdge& e) { return std::abs(e.at_s + most.by_s - most.at_s); };
    const auto edge = std::min_element(stretch.edges.begin(), stretch.edges.end(),
                                       [&](const auto& a, const auto& b) { return apart_s(a) < apart_s(b); });
    if (apart_s(*edge) > near_s) continue;
    const double before_s = stretch.edges.front().at_s - stretch.regular_s,
                 regular_s = std::max(stretch.regular_s, detail::whole_ms(edge->at_s - before_s));
    detail::failure_of([&] {
      detail::RunPass pass(meter.scenario(), state);
      const double K = detail::aligned_figure(meter, pass.before(regular_s), stretch.event, *edge, regular_s, k);
      if (K > aligned[k]) aligned[k] = K;
    });
  }
}

/// Passes the run once and replays each stretch from the state before it. What lies outside is measured only for figures that a
/// stretch may set: otherwise it is the run's.
Parts replayed(const sim::Scenario& scenario, const std::vector<Stretch>& stretches, const std::vector<double>& run_s,
               const EdgeFigures& base, std::size_t n_instant) {
  const detail::PartMeter meter(scenario);
  const double end_s = scenario.run.duration_s;
  detail::RunPass pass(meter.scenario());
  Parts out;
  std::vector<Gap> gaps;
  double reached_s = -1.0;  // by the stretches so far
  const auto gap_until = [&](double until_s) {
    const double from_s = detail::whole_ms(reached_s - overlap_s);
    gaps.push_back({pass.before(from_s), from_s, until_s});
  };
  for (const auto& stretch : stretches) {
    const double first_s = stretch.edges.front().at_s;
    if (reached_s >= 0.0 && reached_s < stretch.regular_s) gap_until(first_s);
    const std::string state = pass.before(stretch.regular_s);
    if (reached_s < 0.0) out.outside = meter.measure_start(state, first_s);
    auto& instants = out.moved.try_emplace(stretch.event, n_instant, nothing).first->second;
    const double iteration_s = detail::last_iteration_s(pass.engine(), scenario, stretch.job, run_s);
    const auto found = replay(meter, state, stretch, iteration_s, instants);
    align(meter, state, stretch, found, out.outside, out.aligned);
    reached_s = std::max(reached_s, stretch.until_s);
  }
  EdgeFigures inside = nothing;
  for (const auto& [event, instants] : out.moved)
    if (instants.front()) inside = detail::largest(inside, *instants.front());
  bool set_inside = false;
  for (std::size_t k = 0; k < base.size(); ++k) {
    const bool sets = inside[k] >= base[k] * (1.0 - raised_frac);
    set_inside = set_inside || sets;
    if (!sets) out.outside[k] = base[k];
  }
  if (!set_inside) return out;
  if (reached_s < end_s) gap_until(end_s);
  for (const auto& gap : gaps)
    out.outside = detail::largest(out.outside, meter.measure(gap.state, gap.from_s, gap.until_s).value);
  return out;
}

/// Another order of the instants for each event, so that draws combine them independently.
std::vector<std::size_t> order_of(std::size_t event_number, std::size_t n_instant, std::uint64_t seed) {
  std::vector<std::size_t> out(n_instant);
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (event_number == 0) return out;
  const auto place = [&](std::size_t i) { return random::uniform(seed, draws::event_order, event_number, i); };
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return out;
}

/// Figures of the whole run in every draw that has all of its replays.
std::vector<EdgeFigures> draws_of(const Parts& parts, const detail::JobPhases& phases, std::size_t n_draw,
                                  std::uint64_t seed) {
  std::vector<EdgeFigures> out;
  for (std::size_t i = 0; i < n_draw; ++i) {
    std::optional<EdgeFigures> drawn = phases.draws.empty() ? parts.outside : phases.draws[i % phases.draws.size()];
    std::size_t number = 0;
    for (const auto& [event, instants] : parts.moved) {
      const auto& instant = instants[order_of(number++, n_draw, seed)[i]];
      if (drawn && instant)
        drawn = detail::largest(*drawn, *instant);
      else
        drawn.reset();
    }
    if (drawn) out.push_back(*drawn);
  }
  return out;
}

std::string note_of(const sim::Scenario& s, std::size_t n_event, std::size_t n_stretch, bool phases) {
  std::string out;
  const auto say = [&](const std::string& words) { out += (out.empty() ? "" : "; ") + words; };
  const auto waits = [](const sim::EventParams& e) {
    return e.kind == sim::EventKind::pause ||
           (e.kind == sim::EventKind::curtailment && e.by != sim::OrderMeans::storage);
  };
  if (n_event == 0 && !phases) say("no event sets an edge within an iteration, and no two jobs train together");
  if (std::any_of(s.events.begin(), s.events.end(), waits))
    say("pauses and caps wait for the end of an iteration: their instant sets no edge");
  if (n_stretch > most_stretches)
    say(fmt::format("of {} edges of events, the first {} are replayed", n_stretch, most_stretches));
  if (phases) say("starts of jobs are shifted on windows of their first minutes together");
  return out;
}

}  // namespace

std::span<const char* const> event_keys() { return keys; }

EventInstants event_instants(const sim::Scenario& scenario, const sim::Result& base, std::int64_t n_instant) {
  if (n_instant < 1 || n_instant > 1000)
    throw InputError(fmt::format("event_instants: {} instants are outside 1 to 1000", n_instant));
  if (base.jobs.size() != scenario.jobs.size())
    throw InputError("event_instants: the result is of a scenario with other jobs");
  EventInstants out;
  out.part.name = "instant";
  const auto run_s = detail::iterations_s(scenario, base);
  auto stretches = detail::event_stretches(scenario, run_s);
  const std::size_t n_stretch = stretches.size();
  stretches.resize(std::min(n_stretch, most_stretches));
  const EdgeFigures whole = detail::summary_figures(base);
  const auto n_draw = static_cast<std::size_t>(n_instant);
  Parts parts;
  detail::JobPhases phases;
  parts.outside = whole;
  const std::string failure = detail::failure_of([&] {
    if (!stretches.empty()) parts = replayed(scenario, stretches, run_s, whole, n_draw);
    phases = detail::job_phases(scenario, base, run_s, parts.outside, n_instant);
  });
  out.part.note = note_of(scenario, stretches.size(), n_stretch, !phases.draws.empty());
  if (!failure.empty()) out.part.note = "could not be replayed: " + failure;
  if (!failure.empty() || (stretches.empty() && phases.draws.empty())) return out;
  const auto drawn = draws_of(parts, phases, n_draw, static_cast<std::uint64_t>(scenario.run.seed));
  out.part.n_draw = n_instant;
  out.part.n_failed = n_instant - static_cast<std::int64_t>(drawn.size()) + phases.n_failed;
  if (drawn.empty()) return out;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    if (!(whole[k] > 0.0)) continue;
    std::vector<double> K, logs;
    for (const auto& figures : drawn) K.push_back(figures[k]), logs.push_back(std::log(figures[k] / whole[k]));
    out.p50[keys[k]] = median(K);
    out.max[keys[k]] = std::max({whole[k], parts.aligned[k], *std::max_element(K.begin(), K.end())});
    const bool moves = std::any_of(logs.begin(), logs.end(), [](double x) { return std::abs(x) > same_frac; });
    if (moves) out.part.logs[keys[k]] = std::move(logs);
    if (!phases.draws.empty()) out.bound[keys[k]] = std::max(phases.bound[k], out.max[keys[k]]);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
