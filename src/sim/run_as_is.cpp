#include "run_as_is.hpp"

#include "run_result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

Result run_as_is(const Scenario& scenario, const RunOptions& options) {
  Simulation simulation(scenario, options);
  while (simulation.state.now < simulation.model.end) simulation.step();
  return finish(simulation);
}

}  // namespace TIDEWATT_NAMESPACE::sim
