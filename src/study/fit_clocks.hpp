#pragma once
#include <string>
#include <vector>

#include "fit_posterior.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A steady operating point of one GPU: watts, clock and temperature under one load.
struct ClockPoint {
  double time_s, power_W, clock_Hz, die_K;
  double limit_W;    ///< NaN: not in the table
  std::size_t load;  ///< index into `ClockTable::loads`
  bool locked;       ///< the clock is locked, so that the limit does not act unless power reaches it
};

/// Points of one GPU. Loads named `idle` have no program, `context` one that does nothing, `wait` spinning kernels; others are work.
struct ClockTable {
  std::string gpu;
  std::vector<std::string> loads;
  std::vector<ClockPoint> points;
};

/// Priors and names of what a table's points depend on.
///
///     P = P_board + r P_leak e^{k_T (T − T_ref) + k_V (V(f) − V_ref)} + a_load P_dyn (V(f)/V_ref)² f/f_ref
///     V(f) = V_ref + s (V_base(f) − V_ref),   s = s_below under V_ref, s_above over it
///
/// One law for all: at locked clocks watts follow temperature; under a cap watts are fixed and the clock follows temperature. P_dyn is the
/// base's, because only its product with the activity shows. r is rest_leakage_ratio where there is no program, else 1. Base V/f points at one
/// voltage (its floor) stay together. Memory and link power are inside the activity.
struct ClockModel {
  power::GpuModel gpu;
  std::vector<PriorParameter>
      prior;  ///< board, leakage, two slopes, two stretches, gated share, then an activity per load
  static constexpr std::size_t n_shared = 7;
};
/// @param base gpu entry  @param loads of the table
ClockModel clock_model(const std::string& base, const std::vector<std::string>& loads);
/// Power of a point, W. @param p [parameter] of `prior`
double clock_point_W(const ClockModel& model, std::span<const double> p, const ClockPoint& point, bool idle);

/// @throws InputError if there are fewer points than parameters, or the law misses them by a tenth of their power
Posterior fit_clocks(const ClockModel& model, const ClockTable& table);
/// The table without points under a limit whose clocks take fewer than four values: the limiter holds the watts, and between readings of one
/// clock nothing tells what the temperature does.
ClockTable without_coarse_points(const ClockTable& table);
/// V/f table with the fitted stretch, V, [point] of the base's.
std::vector<double> stretched_V(const power::GpuPowerParams& gpu, double below, double above);

/// How far the limiter holds power below the limit, W: points within 6 % of their limit whose clock is below the highest of the table or of the
/// GPU, and not locked. An empty `fit.values` where there are fewer than five. @param top_Hz highest clock of the GPU
Posterior fit_cap_margin(const ClockTable& table, double top_Hz);

}  // namespace TIDEWATT_NAMESPACE::study
