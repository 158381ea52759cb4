#include "input_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include "base/parallel.hpp"
#include "input_draws_parts.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// What one replay sets.
struct Move {
  std::size_t input = 0, end = 0;
  sim::Scenario scenario;  ///< that the check accepts
};

/// An input as `scenario` lists it.
const catalog::AssumedInput& listed(const sim::Scenario& s, const std::string& key) {
  return *std::find_if(s.assumed.begin(), s.assumed.end(), [&](const auto& a) { return a.key == key; });
}

/// Adds an input and the draws of its ends.
void add(InputEffects& out, std::vector<Move>& moves, const detail::Candidates& candidates, const sim::Scenario& s,
         const detail::CommonInput& input) {
  const auto& first = listed(s, input.items.front().key);
  InputEffect effect;
  for (const auto& item : input.items) effect.keys.push_back(item.key);
  // Of words each, the one of the run too; of numbers both ends.
  const std::size_t n = first.words.empty() ? 2 : input.items.front().values.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double last = static_cast<double>(n - 1);
    const double place =
        first.words.empty() ? static_cast<double>(i) / last : (static_cast<double>(i) + 0.5) / (last + 1.0);
    InputEnd end;
    end.value = first.text(input.items.front().at(place));
    Move move{out.inputs.size(), i, {}};
    InputDraw draw;
    candidates.put(input, place, draw);
    end.refused = candidates.refused(draw, move.scenario);
    if (end.refused.empty()) moves.push_back(std::move(move));
    effect.ends.push_back(std::move(end));
  }
  out.inputs.push_back(std::move(effect));
}

/// Runs a fleet with one input moved.
void replay(const Move& move, const Figures& nominal, double iteration_s, InputEnd& end) {
  try {
    const auto moved = nominal_figures(move.scenario, iteration_s).typical;
    for (const auto& [key, value] : moved)
      if (const auto at = nominal.find(key); at != nominal.end() && at->second != 0.0)
        end.change_frac[key] = value / at->second - 1.0;
  } catch (const std::runtime_error& e) {  // InputError, RefusedError, SolverError
    end.refused = e.what();
  }
}

/// The headline that an input moves most.
void rank(InputEffect& effect) {
  for (const InputEnd& end : effect.ends) {
    if (!end.refused.empty()) effect.largest_frac = std::numeric_limits<double>::infinity();
    for (const auto& [key, change] : end.change_frac)
      if (std::abs(change) > effect.largest_frac) effect.largest_frac = std::abs(change), effect.headline = key;
  }
}

}  // namespace

InputEffects input_effects(const sim::Scenario& scenario, const sim::Result& base, const EffectOptions& options) {
  InputEffects out;
  const ReducedFleet fleet = replayed_fleet(scenario, out.notes);
  out.n_gpu = fleet.n_gpu;
  out.replayed_h = fleet.scenario.run.duration_s / 3600.0;
  const double iteration_s = sim::figure(base, "iteration_s");
  const Figures nominal = nominal_figures(fleet.scenario, iteration_s).typical;
  // What is moved: inputs with a range of their own, then those of a GPU's joint draws, each between its lowest and highest value.
  const detail::Candidates candidates(fleet, catalog::Catalog(options.catalog_overlay));
  std::vector<Move> moves;
  for (const auto& input : candidates.inputs()) add(out, moves, candidates, fleet.scenario, input);
  for (const auto& [key, column] : candidates.rows()) {
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    add(out, moves, candidates, fleet.scenario, {{{key, *low, *high}}});
  }
  const std::size_t n_thread =
      options.n_thread > 0 ? options.n_thread : std::max(1u, std::thread::hardware_concurrency());
  parallel_ranges(moves.size(), n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      replay(moves[i], nominal, iteration_s, out.inputs[moves[i].input].ends[moves[i].end]);
  });
  for (InputEffect& effect : out.inputs) rank(effect);
  std::stable_sort(out.inputs.begin(), out.inputs.end(),
                   [](const auto& a, const auto& b) { return a.largest_frac > b.largest_frac; });
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
