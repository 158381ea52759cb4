#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Replicas that share the edges of their phases, slowest group first.
struct ReplicaGroups {
  std::vector<std::size_t> of_replica;
  std::vector<double> slowest_Hz;  ///< [group] of its slowest replica now
};

/// Groups of equal numbers. A replica in a faster group draws more, gets warmer and therefore slower: if they were formed by what replicas
/// can do now, two alike on both sides of a boundary would change places at every step. They are formed by `rated_Hz` instead, and only
/// what a replica has lost or gained by more than `apart_Hz` since, beyond the median of all, moves it.
/// @param now_Hz [replica] clock that its slowest GPU could have alone; infinite: it has no node, and group 0
/// @param rated_Hz [replica] the same as its chips are made  @param n_group at most one per replica that has a node
ReplicaGroups group_replicas(std::span<const double> now_Hz, std::span<const double> rated_Hz, std::size_t n_group,
                             double apart_Hz);

/// [replica] of `n_replica`: clock of its slowest node; infinite: none leads it (several replicas per node)
/// @param node_Hz of each node's slowest GPU  @param replica [node]  @param slowness [node] compute time ÷ that of a healthy host
std::vector<double> slowest_of_replicas(std::span<const double> node_Hz, std::span<const std::int64_t> replica,
                                        std::span<const double> slowness, std::size_t n_replica);

/// [node of the task] clock that its slowest GPU could have alone, were all packages of the node at rest at the cap, in air of 25 °C and
/// with fans as the hottest die asks for.
/// @param cap_W without margin  @param max_Hz that the limits let it have
std::vector<double> rated_clocks_Hz(const Fleet& fleet, const FleetTask& task, double cap_W, double max_Hz);

}  // namespace TIDEWATT_NAMESPACE::fleet
