#pragma once
// Private to sim: what an Engine holds.
#include "simulation.hpp"

namespace tidewatt::sim {

struct Engine::Impl : Simulation {
  using Simulation::Simulation;
};

}  // namespace tidewatt::sim
