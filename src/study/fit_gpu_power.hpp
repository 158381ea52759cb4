#pragma once
#include <span>

#include "fit_posterior.hpp"
#include "fit_telemetry.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Samples under load at one clock, which identify leakage.
struct LeakageRecord {
  std::vector<double> time_s, power_W, over_K;  ///< [sample]; over the leakage's reference temperature
  double voltage_factor = 1.0;                  ///< v(V(f)) at that clock
};
/// Samples within half a bin of the most frequent clock and above 80 % of the record's 90th percentile of power.
/// @throws InputError where the record has fewer than 60 such samples
LeakageRecord leakage_record(const GpuTelemetry& telemetry, const power::GpuModel& gpu);
/// Power at rest (no leakage) under that load, W: 95 % between 0.3 and 1 of the first sample.
PriorParameter rest_prior(const LeakageRecord& record);
/// Model less measured, W. @param p leakage_W, leakage_frac_per_K, rest_W  @param out [sample]
void leakage_residual(const LeakageRecord& record, std::span<const double> p, std::span<double> out);

/// Leakage from the change of power with temperature at constant clock and work:
///
///     P = P_rest + P_leak v(V(f)) e^{k (T − T_ref)},   v: GpuModel::leakage_voltage_factor
///
/// @param leakage_W,leakage_per_K  priors: at T_ref and voltage_ref_V
Posterior fit_leakage(const LeakageRecord& record, const PriorParameter& leakage_W,
                      const PriorParameter& leakage_per_K);

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

}  // namespace TIDEWATT_NAMESPACE::study
