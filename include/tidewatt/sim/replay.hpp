#pragma once
#include "tidewatt/sim/load_tape.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site_stream.hpp"

namespace tidewatt::sim {

/// Passes a recorded tape through the devices between nodes and grid that `scenario` names: the stream has the same bits
/// as that of a run whose fleet the tape was recorded from. @throws InputError, SolverError as a run does
SiteStream replay(const Scenario& scenario, const LoadTape& tape);

}  // namespace tidewatt::sim
