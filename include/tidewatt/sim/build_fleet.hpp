#pragma once
#include "tidewatt/sim/fleet_state.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/sim/site.hpp"

namespace tidewatt::sim {

/// The flat fleet of a checked scenario: chips and resistances drawn by GPU index, recirculation by rack.
Fleet build_fleet(const Scenario& scenario);

/// A fleet that has stood idle in air of `inlet_K`.
FleetState idle_state(const Fleet& fleet, double inlet_K);
FleetSignals make_signals(const Fleet& fleet);

}  // namespace tidewatt::sim
