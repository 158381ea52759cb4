#pragma once
#include <complex>
#include <cstddef>
#include <vector>

#include "tidewatt/grid/machine_case.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Bus admittance matrix, row-major, on the case's base: lines and taps as π circuits, and the buses' capacitors.
std::vector<std::complex<double>> admittance(const MachineCase& c);

/// The operating point from which the equations of motion start.
struct PowerFlow {
  std::vector<std::complex<double>> voltage_pu;  ///< per bus
  std::vector<std::complex<double>> machine_VA;  ///< generated, per machine
  double mismatch_pu = 0.0;                      ///< largest of any bus, on the case's base
  int iterations = 0;
};

/// Newton's method in polar coordinates from a flat start, constant machine voltages, loads at constant power.
///
///     Σ_k |V_i||V_k| (G_ik cos θ_ik + B_ik sin θ_ik) = P_i,   … (G_ik sin θ_ik − B_ik cos θ_ik) = Q_i
///
/// Machines that share a bus share its reactive power by rating. Assumption: no reactive limits, taps fixed.
/// @throws RefusedError if no operating point is found: the case carries more than its network can. Source: [@kundur]
PowerFlow solve_power_flow(const MachineCase& c);

}  // namespace TIDEWATT_NAMESPACE::grid
