#pragma once
// Private to sim: racks whose scale-up domain has several nodes.
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The job's network with the domains that its ranks use: without the spare nodes that it leaves in each rack.
workload::NetworkParams network_of(const Scenario& scenario, const JobSpec& job);

/// The job's scale-up domains, where one has several nodes; else none.
workload::DomainLayout domain_layout(const Scenario& scenario, const JobSpec& job);

/// GPUs that share a module with one CPU of the rack. @pre it has CPUs
double gpus_per_module(const power::RackParams& rack);

/// What a module's limit leaves each of its GPUs beside the CPU, W; infinite without such a limit.
double module_share_W(const HallSpec& hall);

/// Liquid that a hall's plant is set to supply, K.
double coolant_supply_K(const HallSpec& hall);

/// What racks, their jobs and their liquid must agree on; groups of ranks that lie across two domains become notes.
void check_racks(Scenario& scenario, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::sim
