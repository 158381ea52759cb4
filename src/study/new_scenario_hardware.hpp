#pragma once
// Private to study: hardware and plan of a new scenario.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "new_scenario.hpp"
#include "tidewatt/workload/job_params.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What fits together, and why.
struct Hardware {
  std::string gpu, server, rack, plant, network, feeder;  ///< catalog names; rack: empty without one
  std::int64_t n_gpu = 0;                                 ///< count
  std::int64_t servers_per_rack = 0;                      ///< count; 0: a hall's default
  bool rack_storage = false;                              ///< the rack ships with storage
  workload::JobParams life;                               ///< of the defaults' entry of kind job
  std::map<std::string, double> plant_set_degC;           ///< set points that differ from the plant's entry, by key, °C
  workload::ParallelPlan plan;
  std::vector<std::string> choices;  ///< one sentence each, [n]
};

/// Completes what the options leave open. @throws InputError for unknown names and GPUs too few for the model
Hardware choose_hardware(const NewScenario& options);

}  // namespace TIDEWATT_NAMESPACE::study
