#pragma once
#include <functional>

#include "connection/load_trace.hpp"
#include "connection/site_stream.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A replayed connection, and whether the trace is valid for this scenario's fleet.
struct Replayed {
  connection::SiteStream stream;
  /// Power was lost and returned only at the trace's flushes. Otherwise the fleet with these devices would have stopped or
  /// continued at other times than the recorded one, and the scenario needs its own run.
  bool power_as_recorded = true;
};

/// Passes a recorded trace through the devices between nodes and grid that `scenario` names: the stream has the same bits
/// as that of a run whose fleet the trace was recorded from, where power is lost as it was there. @throws InputError, SolverError
/// as a run does  @param after called after every flush, with its place in the trace
Replayed replay(const Scenario& scenario, const connection::LoadTrace& trace,
                const std::function<void(std::size_t, const connection::SiteStream&)>& after = {});

}  // namespace TIDEWATT_NAMESPACE::sim
