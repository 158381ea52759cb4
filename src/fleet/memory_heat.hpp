#pragma once
#include "fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Mean memory power of each class over a repetition, W, where every phase lasts as long as the class's slowest rank makes it:
///
///     Q = P_hbm Σ_segments d_k b_k / T,    b_k = bandwidth share × seconds ÷ seconds of kind k
///
/// @returns [class]
std::vector<double> memory_W(const FleetTask& task, const NodeType& type);

/// Mean temperature of every GPU's memory stacks over the step just taken, into `signals.memory_K`: the die's mean and
/// thermal::memory_lead of what die and memory drew. The stacks ripple within an iteration by a few kelvins, which is left
/// out. Nodes of types without memory branch are not touched. @source catalog entries of kind memory_branch
void memory_temperatures(const Fleet& fleet, const FleetState& state, const FleetTask& task, FleetSignals& signals);

}  // namespace TIDEWATT_NAMESPACE::fleet
