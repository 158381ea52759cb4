#pragma once
#include "connection/site_stream.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// AC power of all nodes with every GPU at its board limit and fans at full speed, W: what feeders are sized for.
double design_load_W(const Scenario& scenario);

/// Cabinets of a hall, the last of which may be part-filled.
std::int64_t n_rack(const HallSpec& hall);
/// Number of entries of `site.rack_storage` on the site, by its key `per`; dimensionless.
double n_rack_storage(const Scenario& scenario);

/// The feeder with its branches: on the rack level one per rack (more where a rack needs them), above it by the design load.
/// @param other_W design power of loads beside the fleet, W
power::FeederParams sized_feeder(const Scenario& scenario, double other_W = 0.0);

/// Everything between nodes and grid, sized for the scenario's fleet. @param n_lane sources of load
/// @param other_W design power of loads beside the fleet, W  @param plant_W of the plants at rest, W
connection::SiteStream::Params site_stream_params(const Scenario& scenario, std::size_t n_lane, double other_W = 0.0,
                                                  double plant_W = 0.0);

}  // namespace TIDEWATT_NAMESPACE::sim
