#pragma once
// Replays of a run on a reduced fleet, and the headlines that they give.
#include <map>
#include <string>
#include <vector>

#include "reduced_fleet.hpp"

namespace TIDEWATT_NAMESPACE::study {

inline constexpr double longest_replay_s = 24.0 * 3600.0;

using Figures = std::map<std::string, double>;  ///< [headline] in the headline's unit; only those that the run has

/// Runs a scenario on one thread. @param checked whether `check` has accepted it
/// @throws InputError, RefusedError, SolverError as the run does
Figures figures_of(const sim::Scenario& scenario, bool checked = false);

/// A reduced fleet over the part of a run that is replayed: its first day; of a shorter run, which has no swing, the first half hour and
/// all events. @param notes takes what a reader of the figures must know
ReducedFleet replayed_fleet(const sim::Scenario& scenario, std::vector<std::string>& notes);

/// What draws are held against.
struct NominalFigures {
  Figures as_is;  ///< of days: iterations stay as long as they are, and events hit the same part of one
  Figures
      typical;  ///< of inputs: medians over five phases of all events in an iteration, for a draw changes what its events hit
};
/// @param iteration_s length of an iteration, s; NaN: there are no phases  @throws as `figures_of`
NominalFigures nominal_figures(const sim::Scenario& scenario, double iteration_s);

}  // namespace TIDEWATT_NAMESPACE::study
