#pragma once
#include <span>

#include "tidewatt/power/gpu.hpp"
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

/// Two levels of equivalent activity in a record, and how much of its time each has.
struct ActivityLevels {
  double low, high;              ///< of a dense bf16 product on random data
  double low_sigma, high_sigma;  ///< spread of the samples around their level
  double high_frac;              ///< share of samples
};

/// Activity of every sample from its own clock and temperature, all power beyond board and leakage counted as switching:
///
///     a = (P − P_board − P_leak(T, V(f))) / (P_dyn (V/V_ref)² f/f_ref)
///
/// then the two levels that leave the least squares (memory and link power are inside a: a is what the die's model needs
/// to give this board's watts at this clock). Clocks outside the V/f table are left out. @throws InputError without clocks
ActivityLevels activity_levels(const GpuTelemetry& telemetry, const power::GpuModel& gpu);

/// Node watts against the sum of its GPUs:  P_node = overhead_W + ratio · Σ P_gpu.  @throws InputError
Fit fit_node_overhead(std::span<const double> gpu_sum_W, std::span<const double> node_W);

}  // namespace tidewatt::study
