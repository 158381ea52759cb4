#pragma once
#include <limits>
#include <span>

#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// GPUs of one type and one limiter window. All arrays are [gpu] and of one length.
struct OperatingPointBatch {
  std::span<const power::Chip> chip;
  std::span<const double> die_K;    ///< mean over the window, for leakage
  std::span<const double> limit_W;  ///< mean power that each may draw
  std::span<double> clock_Hz;       ///< in: where to start the search; out: the operating point
  std::span<Limiter> limiter;       ///< out
  /// What the limiter lets through falls with the clock, and with the leakage L at the reference voltage, of all of them:
  /// limit ≤ falling_W + falling_W_per_Hz · f + falling_per_leakage · L.
  double falling_W = std::numeric_limits<double>::infinity(), falling_W_per_Hz = 0.0, falling_per_leakage = 0.0;
};

/// operating_point() for many GPUs at once, a vector of them per instruction. With s = f_ref/f the windowed excess energy
/// times f is free of divisions,
///
///     G(f) = (a₀ + a₁ f)(P_board − P_limit + P_leak(V)) + c V² f (e₀ + e₁ f) + h f,
///
/// and its root is found by Newton inside a bracket, every GPU until its own step is below 1e-6 of its clock: the error
/// left is below 1e-11 and does not depend on which GPUs share a batch. Agrees with operating_point() to 1e-9; where even
/// the lowest clock draws too much, this returns exactly the lowest clock (the scalar search ends 1e-6 above it).
/// @param gate_Hz clock of the slowest rank that all of them wait for; 0: none
/// @throws InputError if the arrays differ in length
void operating_points(const power::GpuModel& gpu, const PhaseMix& window, double reference_Hz, double gate_Hz,
                      double max_Hz, const OperatingPointBatch& batch);

/// phase_power() of several kinds of work for many GPUs: the V/f table and the leakage's dependence on voltage are
/// evaluated once per GPU, not once per kind.
/// @param clock_Hz [gpu]
/// @param fixed_W [mix × gpu], out: mix-major, board power and switching power averaged over the phase
/// @param leakage_W [gpu], out: at the reference temperature, the same in every phase
/// @throws InputError if the arrays' lengths do not fit together
void phase_powers(const power::GpuModel& gpu, std::span<const power::Chip> chip, std::span<const PhaseMix> mix,
                  double reference_Hz, std::span<const double> clock_Hz, double gate_Hz, std::span<double> fixed_W,
                  std::span<double> leakage_W);

}  // namespace TIDEWATT_NAMESPACE::dvfs
