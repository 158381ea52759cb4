#pragma once
#include <functional>

#include "connection/load_trace.hpp"
#include "connection/site_stream.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A replayed connection, and whether the trace may stand for this scenario's fleet.
struct Replayed {
  connection::SiteStream stream;
  /// Power was lost and returned at the trace's flushes and nowhere else. If not, the fleet behind these devices would have stopped
  /// or gone on where the recorded one did not: the scenario needs a run of its own.
  bool power_as_recorded = true;
};

/// Passes a recorded trace through the devices between nodes and grid that `scenario` names: the stream has the same bits
/// as that of a run whose fleet the trace was recorded from, where power is lost as it was there. @throws InputError, SolverError
/// as a run does  @param after called after every flush, with its place in the trace
Replayed replay(const Scenario& scenario, const connection::LoadTrace& trace,
                const std::function<void(std::size_t, const connection::SiteStream&)>& after = {});

}  // namespace TIDEWATT_NAMESPACE::sim
