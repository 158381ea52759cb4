#pragma once
#include <functional>

#include "tidewatt/sim/load_tape.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site_stream.hpp"

namespace tidewatt::sim {

/// A replayed connection, and whether the tape may stand for this scenario's fleet.
struct Replayed {
  SiteStream stream;
  /// Power was lost and returned at the tape's flushes and nowhere else. If not, the fleet behind these devices would have stopped
  /// or gone on where the recorded one did not: the scenario needs a run of its own.
  bool power_as_recorded = true;
};

/// Passes a recorded tape through the devices between nodes and grid that `scenario` names: the stream has the same bits
/// as that of a run whose fleet the tape was recorded from, where power is lost as it was there. @throws InputError, SolverError
/// as a run does  @param after called after every flush, with its place in the tape
Replayed replay(const Scenario& scenario, const LoadTape& tape, const std::function<void(std::size_t, const SiteStream&)>& after = {});

}  // namespace tidewatt::sim
