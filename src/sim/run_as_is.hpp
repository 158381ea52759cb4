#pragma once
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// As `run`, without its check: for the library's own counterfactuals, whose values lie outside the ranges on purpose (a limiter that never
/// acts, a supply that follows the weather). @param scenario a checked one but for such values  @throws SolverError, InputError
Result run_as_is(const Scenario& scenario, const RunOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::sim
