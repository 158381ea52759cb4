#pragma once
// Private to sim: the [site] table of a scenario.
#include <functional>

#include "tidewatt/base/reader.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace tidewatt::sim {

/// Reads feeder, devices and rules; what is wrong is added to `findings`, assumed inputs to `assumed`.
/// @param more reads what else stands in the table
void read_site(const Node& site, const catalog::Catalog& catalog, std::vector<Finding>& findings,
               std::vector<catalog::AssumedInput>& assumed, Scenario& s, const std::function<void(TableReader&)>& more);

/// What events ask for that the site cannot do.
void check_events(const Scenario& s, const Place& place, std::vector<Finding>& findings);

}  // namespace tidewatt::sim
