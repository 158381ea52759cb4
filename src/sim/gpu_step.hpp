#pragma once
// Private to sim and study: numbers of GPUs that a scenario can have.
#include <cstdint>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What the number of GPUs of a scenario must be a multiple of, count: the least common multiple of these parts.
struct GpuStep {
  struct Part {
    const char* what;        ///< servers | racks | scale-up domains | replicas | expert groups
    std::int64_t n_gpu = 0;  ///< count
  };
  std::vector<Part> parts;
  std::int64_t n_gpu = 1;
};

/// The one job of a scenario with one hall, on all of its GPUs: their number can change without a choice of where. Else nullptr.
const JobSpec* sole_job(const Scenario& scenario);

/// Servers of the first hall, racks that a hall names, and scale-up domains of every job. With one job on one hall also the plan's
/// groups: replicas of tp × cp × pp, expert groups, and servers that hold one pipeline stage. The batch must grow with the replicas.
GpuStep gpu_step(const Scenario& scenario);

}  // namespace TIDEWATT_NAMESPACE::sim
