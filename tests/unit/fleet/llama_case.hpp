#pragma once
#include <string>

#include "sim/build_fleet.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "workload/iteration.hpp"

namespace tidewatt::fleet {

/// The shipped day of Llama 3: its fleet and its job.
struct LlamaCase {
  sim::Scenario scenario = sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml");
  Fleet fleet = sim::build_fleet(scenario);
  workload::IterationModel model{scenario.jobs[0].model, scenario.jobs[0].plan, scenario.halls[0].compute,
                                 scenario.jobs[0].network};
  const NodeType& type() const { return fleet.types[0]; }
};

}  // namespace tidewatt::fleet
