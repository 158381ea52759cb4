#pragma once
// Private to sim: the machines' case in the [grid] table of a scenario.
#include "scenario_reading.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Reads `reserves`: deadband, fast reserve and under-frequency stages.
void read_reserves(Reading& reading, TableReader& r, Scenario& s);

/// Reads `case` and what belongs to it, once windows and frequency are read.
void read_grid_case(Reading& reading, const Node& given, TableReader& r, Scenario& s);

}  // namespace TIDEWATT_NAMESPACE::sim
