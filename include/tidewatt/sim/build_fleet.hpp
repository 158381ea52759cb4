#pragma once
#include <span>

#include "tidewatt/sim/fleet_state.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site.hpp"

namespace tidewatt::sim {

/// The flat fleet of a checked scenario: chips and resistances drawn by GPU index, recirculation by rack.
Fleet build_fleet(const Scenario& scenario);

/// A fleet at the temperature of its inlets. @param inlet_K [node]
FleetState idle_state(const Fleet& fleet, std::span<const double> inlet_K);
/// Signals of the fleet's size, all zero.
FleetSignals make_signals(const Fleet& fleet);

}  // namespace tidewatt::sim
