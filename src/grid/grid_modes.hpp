#pragma once
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "grid/grid_system.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A natural mode of a system in motion: an eigenvalue of its state matrix.
struct GridMode {
  std::complex<double> s;     ///< 1/s
  double frequency_Hz = 0.0;  ///< |Im s|/2π
  double damping_frac = 0.0;  ///< −Re s/|s|
  struct Part {
    std::string state;
    double share_frac = 0.0;  ///< participation, of all states' sum
  };
  std::vector<Part> parts;  ///< the largest five, largest first
};

/// Modes of one unit at a bus whose voltage does not move, rightmost first; of a conjugate pair the upper one.
///
///     A = ∂f/∂x at (x, v)
///
/// Derivatives by central differences. @param x [n_state] pu, at rest  @throws SolverError if the eigenvalues are not found
std::vector<GridMode> unit_modes(const GridUnit& unit, std::span<const double> x, std::complex<double> v);

/// Modes of a whole network, voltages eliminated (Schur complement of the algebraic part), rightmost first.
///
///     A = f_x − f_v g_v⁻¹ g_x
///
/// Assumptions: small deviations, every state inside its bounds. The common angle of all units is free: a mode at 0.
/// @param y at rest  @throws SolverError if the eigenvalues are not found. Source: [@kundur], ch. 12
std::vector<GridMode> grid_modes(const GridSystem& system, const GridState& y);

}  // namespace TIDEWATT_NAMESPACE::grid
