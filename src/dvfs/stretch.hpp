#pragma once
#include <span>

#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// A stretch of a repetition during which a rank does one kind of thing in slices shorter than the power window: all its
/// forward passes, say, or a steady alternation of forward and backward.
struct Stretch {
  PhaseMix mix;          ///< all of its work
  double gate_Hz = 0.0;  ///< clock of the slowest rank in this stretch; 0: this rank gates
  double max_Hz = 0.0;   ///< table's end, user lock or the fast limit's clock (peak_clock_Hz)
};

/// What a GPU does in one stretch of the periodic steady state.
struct StretchPoint {
  double clock_Hz;  ///< time mean
  double duration_s;
  double power_W;  ///< time mean
  double end_Hz;
  Limiter limiter;
};

/// Clocks of the stretches of a repetition without end, under the 1 s power limit as an exponential window:
///
///     df/dt = (P_cap − P_k(f)) / (g τ)       ⇒  f(t) = f*_k + (f_0 − f*_k) e^{−λ_k t},   λ_k = P_k'(f*)/(g τ)
///
/// f*_k holds the cap in stretch k alone; g = P_cap/f (1 + 2 f V'/V) is the governor's own slope (see SampledGovernor). In a
/// stretch much longer than τ the clock is that stretch's own operating point; in one much shorter it hardly moves, and
/// all together hold the mean: operating_point of the sum is the limit τ → ∞. The start is the fixed point of the
/// repetition's map, which is nearly affine: Aitken's step, a handful of passes.
///
/// Cost: one operating_point per stretch and GPU and about ten cheap passes. Ratios clock_k/operating_point(sum) hardly
/// differ between chips, so a fleet may take them from one chip per rank class and apply them to every GPU's own point.
/// @param out  one per stretch  @returns passes needed
int stretch_points(const power::GpuModel& gpu, const power::Chip& chip, std::span<const Stretch> stretches,
                   double reference_Hz, double leakage_temperature_factor, double cap_W, double window_s,
                   std::span<StretchPoint> out);

/// Highest clock at which `phase` alone stays at or below the fast limit, Hz, at most max_Hz.
double peak_clock_Hz(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& phase, double reference_Hz,
                     double leakage_temperature_factor, double peak_W, double max_Hz);

}  // namespace TIDEWATT_NAMESPACE::dvfs
