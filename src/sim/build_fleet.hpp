#pragma once
#include <span>
#include <vector>

#include "fleet/fleet_state.hpp"
#include "fleet/site.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The site's node numbers in the order of their occupants: the jobs' by rank, in the scenario's order, then the free ones.
/// Jobs without any [job.placement] in the scenario are placed consecutively from node 0 on, sharing racks; as soon as
/// one has it, all are placed by whole racks (workload::place), which needs halls of equal racks and rows.
/// @param findings what cannot be placed; the order is empty then
std::vector<std::uint32_t> node_order(const Scenario& scenario, std::vector<Finding>& findings);

/// `node_order` of a checked scenario. @throws InputError for jobs that cannot be placed
std::vector<std::uint32_t> placed_nodes(const Scenario& scenario);

/// All of a fleet that its seed decides, nodes in the order of their occupants.
struct FleetDraws {
  std::vector<double> recirculation;     ///< [node] share of hot-aisle air in the inlet, relative
  std::vector<power::Chip> chip;         ///< [gpu]
  std::vector<double> resistance_ratio;  ///< [gpu] thermal resistance ÷ nominal
};
/// Chips and resistances drawn by the GPU's place on the site, recirculation by rack.
/// @param seed replaces that of the scenario  @param order of its nodes, as `placed_nodes` gives it
FleetDraws draw_fleet(const Scenario& scenario, std::uint64_t seed, std::span<const std::uint32_t> order);

/// The flat fleet of a checked scenario, nodes in the order of `node_order`. @throws InputError for jobs that cannot be placed
/// @param draws of as many nodes; null: those of the scenario's seed
fleet::Fleet build_fleet(const Scenario& scenario, const FleetDraws* draws = nullptr);

/// Share of hot-aisle air in the inlets of every rack, [hall][rack], relative: frac e^{sigma z}, z normal within ±2, drawn by the
/// rack's number on the site; z = 0 where chips are nominal.
std::vector<std::vector<double>> rack_recirculation(const Scenario& scenario);

/// A fleet at the temperature of its inlets. @param inlet_K [node]
fleet::FleetState idle_state(const fleet::Fleet& fleet, std::span<const double> inlet_K);
/// Signals of the fleet's size, all zero.
fleet::FleetSignals make_signals(const fleet::Fleet& fleet);

}  // namespace TIDEWATT_NAMESPACE::sim
