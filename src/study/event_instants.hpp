#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "chance.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What a run's extremes would be, had its events fallen at other instants of the iteration.
struct EventInstants {
  ChancePart part;                    ///< named "instant"; empty with a note where nothing depends on an instant
  std::map<std::string, double> p50;  ///< [key] median of the run's figure over the instants, in the key's unit
  std::map<std::string, double> max;  ///< [key] largest over the instants, at least the run's, in the key's unit
  /// [key] sum of the jobs' own figures, in the key's unit: all edges meet. Of sites with several jobs.
  std::map<std::string, double> bound;
};

/// Keys of the summary that events set: highest power, largest change over 1 s, steepest rise and fall over 0.1 s.
std::span<const char* const> event_keys();

/// Replays every event of a run at instants spread evenly over one iteration of its job (of the longest one where it acts on all),
/// beginning with its own instant, on the whole fleet.
///
///     K_i = max(K outside the events' stretches, K of each event's stretch with the event moved by i T/n),   i = 0 … n − 1
///
/// A stretch begins shortly before an edge that the event makes and ends once the job's iterations are regular again. Events move
/// independently of one another: draw i takes another instant of each. An event moves as a whole if it lasts at most 150 s. The begin
/// and end of a longer one are moved separately, each by the iteration at that time. The largest figure is also sought where an edge
/// meets the steepest part of the iteration, which lasts a tenth of a second: evenly spread instants pass over it.
///
/// Where two or more jobs train, their starts are also shifted, each by a random share of its iteration, on windows of up to 150 s
/// without events, as many as a run of this length has (job_phases). Their figures replace those outside the stretches.
///
/// Moved are failures, planned stops, power brakes, orders that are met by storage, sags, utility losses and islandings. Pauses and caps
/// wait for the end of an iteration, and plants react over minutes: their instants set no edge.
/// @param base result of the run of this scenario  @param n_instant 1 to 1000 for each event
/// @return the same bits for any number of cores; an instant that cannot be replayed counts in `n_failed`
/// @throws InputError for another number of instants, or if `base` is of another scenario
EventInstants event_instants(const sim::Scenario& scenario, const sim::Result& base, std::int64_t n_instant = 20);

}  // namespace TIDEWATT_NAMESPACE::study
