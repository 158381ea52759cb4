#pragma once
#include "site.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// From the air to the die of a nominal package at rest, K/W. @param fan_frac at least the slowest speed
double die_K_per_W(const NodeType& type, double fan_frac);

/// Gain of the loop die temperature → leakage → die temperature, K/K: r dP/dT of a hot die (80 degC) at the reference voltage, doubled
/// for the leakiest chips with the poorest contact. At least `gentle_loop_gain`.
/// @param fan_frac fan speed, share of the fastest
double leakage_loop_gain(const NodeType& type, double fan_frac);

/// What a change of a die's temperature becomes once everything rests and its power has followed it, K/K: 1 + g + g² + … of
/// the loop's gain g = K_per_W · W_per_K. At most 2.  @param W_per_K  NaN: not known, as if 0
TIDEWATT_INLINE double with_leakage_loop(double K_per_W, double W_per_K) {
  constexpr double most_gain = 0.5;
  const double gain = K_per_W * W_per_K;
  return gain < most_gain ? 1.0 / (1.0 - gain) : gain >= most_gain ? 1.0 / (1.0 - most_gain) : 1.0;
}

/// Tolerances are set for this gain (0.06 K/W × 2 W/K, doubled); steeper leakage shortens the steps.
inline constexpr double gentle_loop_gain = 0.25;

}  // namespace TIDEWATT_NAMESPACE::fleet
