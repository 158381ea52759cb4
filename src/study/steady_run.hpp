#pragma once
#include <span>

#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What a run did from its start to an instant.
struct RunMark {
  Tick at = 0;
  double tokens = 0.0;     ///< trained
  double energy_J = 0.0;   ///< drawn at the connection, minus the increase of stored energy
  double life_frac = 0.0;  ///< of the site store, used by its cycles
  double charge_J = 0.0;   ///< of the site store, less that at the start
};

/// A run cut in two: its start (jobs load, chips warm up, ramps rise), and the steady part that fills a year.
struct SteadyRun {
  double start_s = 0.0, steady_s = 0.0;      ///< lengths of the two parts
  double start_tokens = 0.0, start_J = 0.0;  ///< in the first part
  double tokens_per_s = 0.0, mean_W = 0.0;   ///< means of the second part
  double life_frac_per_s = 0.0;              ///< wear of the site store in it
  double charge_W = 0.0;                     ///< mean at which the site store's charge grows in it
  double change_frac = 0.0;  ///< throughput of its second half over that of its first, less 1: 0 where it is steady
};

/// The steady part is the second half of what follows `from`: slow ramps and cold chips take minutes to come to it.
/// @param marks in order of time, the last at the run's end; the steady part begins at one of them  @param from where the run
/// begins to count (site.rules_from_s)  @throws InputError if no mark is between
SteadyRun steady_run(std::span<const RunMark> marks, Tick from);

/// Cost of one start in addition to the steady parts.
struct StartCost {
  double lost_s = 0.0;  ///< of steady work
  double extra_J = 0.0;
};
/// One start with mitigations against one without, each measured by its own steady pace:
///
///     idle = t₀ − N₀/r₀,  lost = t − idle − N/r,  extra = E − P (t − idle) − (E₀ − P₀ (t₀ − idle))
///
/// t length, N tokens and E energy of the start, r throughput and P power of the steady part; index 0 without them. The two
/// runs may be cut at different instants. A mitigation
/// whose start runs at its steady pace costs nothing here. A run that trains nothing: zeros.
StartCost start_cost(const SteadyRun& with, const SteadyRun& without);

}  // namespace TIDEWATT_NAMESPACE::study
