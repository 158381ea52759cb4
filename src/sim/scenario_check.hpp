#pragma once
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What the parts of a scenario must agree on; adds to `findings`, and to the scenario's notes what has no effect.
/// @param place of the scenario, for findings that belong to no single line
void check_scenario(Scenario& scenario, const Place& place, std::vector<Finding>& findings);

/// Memory that a run needs, compared with the limit. @throws RefusedError naming the key and the limit.
void admit(const Scenario& scenario);

/// Lowest power cap that the job's most demanding stage can meet, with the governor's margin.
double lowest_cap_W(const HallSpec& hall, const JobSpec& job);

}  // namespace TIDEWATT_NAMESPACE::sim
