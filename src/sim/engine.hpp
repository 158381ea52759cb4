#pragma once
// Private to sim: members of an Engine.
#include "simulation.hpp"

namespace TIDEWATT_NAMESPACE::sim {

struct Engine::Impl : Simulation {
  using Simulation::Simulation;
  bool finished = false;  ///< its arrays were handed over to a result
};

}  // namespace TIDEWATT_NAMESPACE::sim
