#pragma once
// Private to sim: the [site] table of a scenario.
#include <functional>

#include "scenario_reading.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Reads feeder, devices and rules.
/// @param more reads the other keys of the table
void read_site(Reading& reading, const Node& site, Scenario& s, const std::function<void(TableReader&)>& more);

/// The energy of `site.rack_storage.from_rack` from the halls' racks. @pre halls are read
void take_storage_of_racks(Scenario& s, std::vector<Finding>& findings);

/// Events that need devices which the site does not have.
void check_events(const Scenario& s, const Place& place, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::sim
