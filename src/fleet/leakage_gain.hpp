#pragma once
#include "site.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// By how much a die is warmer for each kelvin by which its leakage takes it to be warmer: r dP/dT of a hot die (80 degC) at the
/// reference voltage, twice that for the leakiest chips with the poorest contact. Not below `gentle_loop_gain`.
/// @param fan_frac fan speed, share of the fastest
double leakage_loop_gain(const NodeType& type, double fan_frac);

/// Steps are as long as the tolerances allow at this gain (0.06 K/W, 2 W/K, twice); steeper leakage shortens them.
inline constexpr double gentle_loop_gain = 0.25;

}  // namespace TIDEWATT_NAMESPACE::fleet
