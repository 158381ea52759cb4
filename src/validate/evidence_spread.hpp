#pragma once
// What the evidence rows compute about unequal chips.
#include <cstddef>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Spread of the clocks of eight chips under their limit in a dense GEMM: (fastest − slowest) over fastest, mean over nodes of
/// `server`, each chip with its own leakage, voltage, thermal resistance and place. @returns dimensionless
double node_clock_range_frac(const std::string& gpu, const std::string& server);
/// Standard deviation over mean of the nodes' AC power in a synchronous job whose GPUs wait for the slowest: immersed, no fans.
/// @param n_node of the job  @returns dimensionless
double node_power_scatter_frac(const std::string& gpu, const std::string& server, std::size_t n_node);

}  // namespace TIDEWATT_NAMESPACE::validate
