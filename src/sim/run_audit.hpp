#pragma once
// Private to sim: energy balance of a run.
#include <string>
#include <vector>

#include "simulation.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// No level may miss by more, as a share of what flowed through it.
inline constexpr double most_closure = 1e-11;

/// One line of the energy audit, J.
struct AuditLevel {
  std::string name;
  double in_J, out_J, stored_J;
};
/// |in − out − stored| over the largest of the three, or over `floor_J` where hardly anything flowed.
double closure(const AuditLevel& level, double floor_J);
/// Energy below which a level's closure is lost in rounding: the largest level carries a rounding ε of its energy through every
/// sum, which is the limit, 1e-11, of this energy.
double rounding_floor_J(const std::vector<AuditLevel>& levels);
/// All levels, from the packages to the connection.
std::vector<AuditLevel> audit(const Simulation& run);
/// By how much the engine's input energy misses the schedule's, as a share of it.
double input_error(const Simulation& run);

}  // namespace TIDEWATT_NAMESPACE::sim
