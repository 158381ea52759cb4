#pragma once
#include "site.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// From the air to the die of a nominal package at rest, K/W. @param fan_frac at least the slowest speed
double die_K_per_W(const NodeType& type, double fan_frac);

/// Gain of the loop die temperature → leakage → die temperature, K/K: r dP/dT of a hot die (80 degC) at the reference voltage, doubled
/// for the leakiest chips with the poorest contact. At least `gentle_loop_gain`.
/// @param fan_frac fan speed, share of the fastest
double leakage_loop_gain(const NodeType& type, double fan_frac);

/// Tolerances are set for this gain (0.06 K/W × 2 W/K, doubled); steeper leakage shortens the steps.
inline constexpr double gentle_loop_gain = 0.25;

}  // namespace TIDEWATT_NAMESPACE::fleet
