#pragma once
#include "tidewatt/base/version.hpp"

/// Heat exchangers by effectiveness and transfer units (kays_london_1984).
namespace TIDEWATT_NAMESPACE::cooling {

/// Effectiveness of a counterflow exchanger.
///
///     ε = (1 - e^{-N(1-C)}) / (1 - C e^{-N(1-C)}),   N = UA/C_min,   C = C_min/C_max;   ε = N/(1+N) at C = 1
///
/// @param transfer_units N >= 0  @param capacity_ratio C, 0 to 1
double counterflow_effectiveness(double transfer_units, double capacity_ratio);

/// Heat from the hot to the cold stream of a counterflow exchanger, `Q = ε C_min (T_hot - T_cold)`; 0 while a stream
/// does not flow. @param UA_W_per_K >= 0  @param hot_W_per_K, cold_W_per_K capacity flows `m c` >= 0
double counterflow_heat_W(double UA_W_per_K, double hot_W_per_K, double cold_W_per_K, double hot_K, double cold_K);

/// Conductance away from the design point: both films follow `flow^0.8` and share the design resistance equally.
///
///     UA/UA_d = 2 / (x_1^-0.8 + x_2^-0.8),   x = flow / design flow, held above 1e-4
///
/// Source: dittus_boelter_1930.
double flow_scaled_UA(double design_UA_W_per_K, double flow1_ratio, double flow2_ratio);

/// UA that moves `heat_W` between two capacity flows with inlets `dT_K` apart: the inverse of counterflow_heat_W.
/// @throws InputError if no exchanger can: heat >= C_min ΔT
double counterflow_UA_W_per_K(double heat_W, double hot_W_per_K, double cold_W_per_K, double inlet_difference_K);

}  // namespace TIDEWATT_NAMESPACE::cooling
