#pragma once
#include <functional>

#include "tidewatt/sim/load_tape.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site_stream.hpp"

namespace tidewatt::sim {

/// Passes a recorded tape through the devices between nodes and grid that `scenario` names: the stream has the same bits
/// as that of a run whose fleet the tape was recorded from. @throws InputError, SolverError as a run does
/// @param after called after every flush, with its place in the tape
SiteStream replay(const Scenario& scenario, const LoadTape& tape, const std::function<void(std::size_t, const SiteStream&)>& after = {});

}  // namespace tidewatt::sim
