#pragma once
#include <limits>
#include <string>
#include <vector>

#include "grid/load_group.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A site's load for disturbances of the grid, from the settings of its scenario, before anything is simulated.
struct SiteGroups {
  std::vector<grid::LoadGroup> groups;
  std::vector<std::string> open;  ///< values that the scenario does not state, as text
  double largest_W = 0.0;         ///< design power of the servers
};

/// Servers at design power, with the devices that the scenario names:
///
/// * `site.ups`: they leave outside low_pu … high_pu at once, return after return_s over walk_in_s, and stay away after
///   lockout_count departures in lockout_window_s
/// * `site.load_settings`: by its limits, and back as it says
/// * neither: servers built to the ITIC curve; what drops stops its job and stays away
///
/// @param current_ratio largest input current of the supplies over the one at nominal voltage; infinite: constant power
SiteGroups site_groups(const Scenario& scenario, double current_ratio = std::numeric_limits<double>::infinity());

}  // namespace TIDEWATT_NAMESPACE::sim
