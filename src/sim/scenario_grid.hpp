#pragma once
// Private to sim: the machines' case in the [grid] table of a scenario.
#include "tidewatt/base/reader.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace tidewatt::sim {

/// Reads `case` and what belongs to it, once windows and frequency are read; what is wrong is added to `findings`.
void read_grid_case(const Node& given, TableReader& r, const catalog::Catalog& catalog, std::vector<Finding>& findings,
                    std::vector<catalog::AssumedInput>& assumed, Scenario& s);

}  // namespace tidewatt::sim
