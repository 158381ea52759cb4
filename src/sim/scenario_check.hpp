#pragma once
#include <set>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What the parts of a scenario must agree on; adds to `findings`, and to the scenario's notes what has no effect.
/// @param place of the scenario, for findings that belong to no single line
void check_scenario(Scenario& scenario, const Place& place, std::vector<Finding>& findings);

/// Memory that a run needs, compared with the limit. @throws RefusedError naming the key and the limit.
void admit(const Scenario& scenario);

/// Lowest power cap of a hall's GPUs while a job runs on them, and what sets it.
struct LowestCap {
  double W = 0.0;
  /// Its driver takes no lower limit (GpuPowerParams::power_limit_min_W). false: the most demanding stage at the lowest clock, with the
  /// governor's margin, needs these watts; the driver's own limit is lower or not published.
  bool by_driver = false;
};
/// Of a hall's GPUs under a job, W.
LowestCap lowest_cap(const HallSpec& hall, const JobSpec& job);
/// Its watts alone.
inline double lowest_cap_W(const HallSpec& hall, const JobSpec& job) { return lowest_cap(hall, job).W; }
/// The same for any job of the scenario. W
double lowest_cap_W(const Scenario& scenario, const HallSpec& hall);
/// Why a cap cannot be lower, in words that follow "is below the N W that".
std::string reason_of(const LowestCap& lowest, const HallSpec& hall, const std::string& job);

/// Full key paths of a scenario's whole numbers: counts, seeds. `with_values` rounds these.
std::set<std::string> whole_numbers(Scenario scenario);

}  // namespace TIDEWATT_NAMESPACE::sim
