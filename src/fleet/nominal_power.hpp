#pragma once
#include <vector>

#include "fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Power of the nominal chip in every kind when its class is gated, at the die temperature `die_K`, W.
std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K);
/// What of that is leakage that follows the die, W; 0 where a bound holds the power.
std::vector<double> nominal_leakage_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                      std::size_t cls, double die_K);

/// By how much the nominal chip's power differs from its kind's mean in each segment, because its clock does, W; no energy in any kind.
/// Empty: in none.
std::vector<double> segment_more_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K);

}  // namespace TIDEWATT_NAMESPACE::fleet
