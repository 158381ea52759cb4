#pragma once
#include <complex>
#include <cstdint>
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
  double rotor_frac = 0.0;    ///< participation of the machines' angles and speeds, 0…1
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

/// Steady answer of the machines to a sine of power, one entry for each machine (unit with inertia).
struct SwingGain {
  std::vector<std::complex<double>> frequency_Hz;  ///< deviation, per W
  std::vector<std::complex<double>> angle_rad;     ///< of the rotor against the inertia-weighted mean, per W
};

/// A network linearised, voltages eliminated (Schur complement of the algebraic part):
///
///     x' = A x + b p,   A = f_x − f_v g_v⁻¹ g_x,   b = −f_v g_v⁻¹ ∂g/∂p,   p: draw at a bus, pu of the base
///
/// Assumptions: small deviations, every state inside its bounds. The common angle of all units is free: a mode at 0. Derivatives by
/// central differences. Source: [@kundur], ch. 12
class LinearGrid {
 public:
  /// @param y at rest  @throws SolverError if the eigenvalues are not found
  LinearGrid(const GridSystem& system, const GridState& y);
  /// At rest.
  explicit LinearGrid(const GridSystem& system) : LinearGrid(system, system.rest()) {}

  /// Rightmost first; of a conjugate pair the upper one.
  std::vector<GridMode> modes() const { return modes_; }
  /// Electromechanical modes: oscillating between 0.05 and 5 Hz with most of their participation in rotors; slowest first.
  std::vector<GridMode> swing_modes() const;
  /// The same system with every swing mode's damping ratio set: s → |s| (−ζ ± i √(1 − ζ²)), shapes kept. For questions
  /// that give the damping, such as "a lightly damped system". @param damping_frac ζ, −1…1  @throws InputError
  LinearGrid with_swing_damping(double damping_frac) const;
  /// Answer of each machine per W of constant power drawn at a bus and oscillating at `f_Hz`. @param bus its index in the network
  SwingGain gain(std::size_t bus, double f_Hz) const;

 private:
  void find_modes();
  std::vector<double> A_;           // column-major
  std::vector<double> by_current_;  // column-major: x' by each bus's real and imaginary current, pu
  std::vector<std::string> states_;
  std::vector<std::size_t> angle_;  // of the machines, in the states; the speed follows
  std::vector<double> inertia_frac_;
  std::vector<std::complex<double>> v_;
  double base_VA_ = 0.0, nominal_Hz_ = 0.0;
  std::vector<GridMode> modes_;
};

/// Steady swing of the whole system under a periodic load.
struct ForcedOscillation {
  double peak_to_peak_Hz = 0.0;   ///< largest of any machine
  std::size_t worst_machine = 0;  ///< that machine, as in SwingGain
  double peak_to_peak_rad = 0.0;  ///< largest of any rotor against the inertia-weighted mean
};

/// A square wave that never ends, drawn at one bus.
struct SquareWave {
  std::size_t bus = 0;                     ///< index in the network
  double swing_W = 0.0;                    ///< full height
  double period_s = 0.0, duty_frac = 0.5;  ///< duty: share of the period at the high level, 0…1
  double highest_Hz = 10.0;                ///< of the harmonics that are summed
};

/// Largest swing under a square wave, by its harmonics.
///
///     p(t) = W Σ_n 2/(π n) sin(π n d) cos(2π n t/T),   n T⁻¹ ≤ highest
///
/// The mean over a period is left out: it belongs to the governors.
/// @throws InputError for a period, duty or limit without a harmonic below it
ForcedOscillation forced_oscillation(const LinearGrid& system, const SquareWave& wave);

}  // namespace TIDEWATT_NAMESPACE::grid
