#pragma once
// Private to sim: the result of a run, from a read-only view of it.
#include "run_audit.hpp"
#include "simulation.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Ends the run's connection, closes the energy balance and hands over everything recorded. Call once.
/// @throws SolverError if the energy balance does not close
Result finish(Simulation& run);

/// What the site and all of its jobs did: figures of the summary.
void add_summary(const Simulation& run, const std::vector<AuditLevel>& levels, Result& result);
/// What every job did, by itself: rows of `jobs`, and the groups /jobs and /neighbours.
void add_jobs(const Simulation& run, Result& result);
/// How orders were kept by metered means of 5 and 15 minutes, added to `order_kept`: as `tidewatt orders` judges them
/// (grid/order_metering.hpp). @pre `order_kept` and the pyramid are in `result`
void add_order_settlements(const Scenario& scenario, Result& result);
/// Stops by cause: how many, over what time the processes end, and the steepest fall over 0.1 s, from the stop until work may begin again,
/// where a window has recorded it. Failures of hosts, switches and their watchdogs together; a scheduler's kill and a loss of power
/// apart. @pre the events and windows are in `result`
void add_stops(const Simulation& run, Result& result);
/// What the run cost and emitted.
void add_costs(const Simulation& run, Result& result);
/// What it did to transformers.
void add_transformers(const Simulation& run, Result& result);

}  // namespace TIDEWATT_NAMESPACE::sim
