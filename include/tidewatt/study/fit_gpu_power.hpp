#pragma once
#include <span>

#include "tidewatt/study/fit_telemetry.hpp"

namespace tidewatt::study {

/// Leakage from the creep of power with temperature while clock and work stand still:
///
///     P = P_rest + P_leak e^{k (T − T_ref)}
///
/// Only samples within half a bin of the most frequent clock and above 80 % of the record's 90th percentile of power count.
/// k is not found from telemetry of a few kelvins: it is given.
/// @throws InputError where the record has fewer than 60 such samples or they span less than 5 K
Fit fit_leakage(const GpuTelemetry& telemetry, double leakage_per_K, double reference_K);

/// Node watts against the sum of its GPUs:  P_node = overhead_W + ratio · Σ P_gpu.  @throws InputError
Fit fit_node_overhead(std::span<const double> gpu_sum_W, std::span<const double> node_W);

}  // namespace tidewatt::study
