#pragma once
// Private to sim: what an Engine holds.
#include "simulation.hpp"

namespace TIDEWATT_NAMESPACE::sim {

struct Engine::Impl : Simulation {
  using Simulation::Simulation;
};

}  // namespace TIDEWATT_NAMESPACE::sim
