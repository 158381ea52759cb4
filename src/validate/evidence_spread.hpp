#pragma once
// What the evidence rows compute about unequal chips.
#include <string>

#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Spread of the clocks of eight chips under their limit in a dense GEMM: (fastest − slowest) over fastest, mean over nodes of
/// `server`, each chip with its own leakage, voltage, thermal resistance and place. @returns dimensionless
double node_clock_range_frac(const std::string& gpu, const std::string& server);
/// Standard deviation over mean of the nodes' mean AC power over an iteration of a plan, immersed, no fans: stages and replicas work and
/// wait for unequal times. Hosts, supplies and chips are equal. @returns dimensionless
double node_power_scatter_frac(const std::string& gpu, const std::string& server,
                               const workload::IterationModel& model);

}  // namespace TIDEWATT_NAMESPACE::validate
