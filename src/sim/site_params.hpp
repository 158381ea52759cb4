#pragma once
#include "connection/site_stream.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// AC power of all nodes with every GPU at its board limit and fans at full speed, W: what feeders are sized for.
double design_load_W(const Scenario& scenario);

/// Everything between nodes and grid, sized for the scenario's fleet. @param n_lane sources of load
/// @param other_W design power of loads beside the fleet, W
connection::SiteStream::Params site_stream_params(const Scenario& scenario, std::size_t n_lane, double other_W = 0.0);

}  // namespace TIDEWATT_NAMESPACE::sim
