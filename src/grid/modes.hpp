#pragma once
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "machine_system.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A natural mode of a system: an eigenvalue s of the reduced state matrix.
struct Mode {
  std::complex<double> s;                      ///< 1/s
  double frequency_Hz = 0.0;                   ///< |Im s|/2π
  double damping_frac = 0.0;                   ///< −Re s/|s|
  double rotor_frac = 0.0;                     ///< participation of rotor angles and speeds, 0…1
  std::vector<double> participation;           ///< |participation| per state, largest 1, in the order of `states`
  std::vector<std::complex<double>> shape_pu;  ///< speeds of the machines, largest of size 1
};

/// Steady answer of the machines to a sine of power, one entry each.
struct SwingGain {
  std::vector<std::complex<double>> frequency_Hz;  ///< deviation, per W
  std::vector<std::complex<double>> angle_rad;     ///< of the rotor against the inertia-weighted mean, per W
};

/// Machines, controls and network linearised about rest, algebraic values eliminated:
///
///     x' = A x + b_p p + b_q q,   A = f_x − f_z g_z⁻¹ g_x,   p, q: the site's draw per unit of the case's base
///
/// Derivatives by central differences. Assumption: small deviations. Source: [@kundur], ch. 12.
class LinearSystem {
 public:
  /// @param system at rest, the site drawing nothing  @throws SolverError if the eigenvalues are not found
  explicit LinearSystem(const MachineSystem& system);

  const std::vector<std::string>& states() const { return states_; }
  /// Sorted by frequency; of a conjugate pair the upper one.
  const std::vector<Mode>& modes() const { return modes_; }
  /// Electromechanical modes: oscillating between 0.05 and 5 Hz with most of their participation in rotors.
  std::vector<Mode> swing_modes() const;
  /// The same system with every swing mode's damping ratio set: s → |s| (−ζ ± i √(1 − ζ²)), shapes kept. For questions
  /// that give the damping, such as "a lightly damped system". @param damping_frac ζ, −1…1  @throws InputError
  LinearSystem with_swing_damping(double damping_frac) const;

  /// Answer of each machine per W of the site's draw oscillating at `f_Hz`.
  SwingGain gain(double f_Hz) const;
  /// Nominal frequency of the case.
  double nominal_Hz() const { return nominal_Hz_; }

 private:
  std::vector<std::complex<double>> response(double f_Hz) const;  // states per W
  void find_modes();
  std::size_t n_ = 0;
  std::vector<double> A_, b_;  // row-major; b for active power
  std::vector<std::string> states_;
  std::vector<std::size_t> speed_, angle_;
  std::vector<double> inertia_frac_;
  double base_VA_ = 0.0, nominal_Hz_ = 0.0;
  std::vector<Mode> modes_;
};

/// Steady swing of the whole system under a periodic load.
struct ForcedOscillation {
  double period_s = 0.0;
  double peak_to_peak_Hz = 0.0;  ///< largest of any machine
  std::size_t worst_machine = 0;
  double peak_to_peak_rad = 0.0;  ///< largest of any rotor against the inertia-weighted mean
};

/// Largest swing under a square wave that never ends, by its harmonics up to `highest_Hz`.
///
///     p(t) = W Σ_n 2/(π n) sin(π n d) cos(2π n t/T),   n T⁻¹ ≤ highest
///
/// The mean over a period is left out: it belongs to the governors. @param swing_W full height  @param duty_frac share
/// of the period at the high level, 0…1
/// @throws InputError for a period, duty or limit without a harmonic below it
ForcedOscillation forced_oscillation(const LinearSystem& system, double swing_W, double period_s, double duty_frac,
                                     double highest_Hz = 10.0);

}  // namespace TIDEWATT_NAMESPACE::grid
