#pragma once
// Private to sim: the grid's part of a summary, from a stream that has ended, for runs and replays alike.
#include "connection/site_stream.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

void add_grid_summary(const connection::SiteStream& stream, double simulated_s, Result& result);

}  // namespace TIDEWATT_NAMESPACE::sim
