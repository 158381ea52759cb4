#pragma once
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Bounds that a state cannot leave (non-windup): at one, a rate that points outwards counts as 0.
struct StateLimit {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// What is recorded of a unit, on its own rating.
struct UnitReadout {
  double speed_pu = 0.0;   ///< above nominal; 0 for a converter
  double angle_rad = 0.0;  ///< of the rotor's q axis
  double mechanical_pu = 0.0;
  double field_pu = 0.0;
};

/// A unit of generation at one bus: ordinary differential equations whose input is the bus's voltage and whose output is a
/// current. Everything per unit of the unit's rating; phasors in the network's frame, which turns at nominal frequency.
class GridUnit {
 public:
  virtual ~GridUnit() = default;
  /// Names of the states, [n_state].
  virtual std::vector<std::string> states() const = 0;
  /// Fills the states [n_state, pu] at rest and keeps the matching references. @param v terminal voltage  @param power_pu
  /// generated
  virtual void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) = 0;
  /// Current into the network, pu. @param x [n_state] pu
  virtual std::complex<double> current(std::span<const double> x, std::complex<double> v) const = 0;
  /// Rates of change, pu/s. @param x, rate [n_state]
  virtual void rates(std::span<const double> x, std::complex<double> v, std::span<double> rate) const = 0;
  /// Bounds of the states, pu. @param out [n_state], unbounded on entry
  virtual void limits(std::span<StateLimit> out) const { (void)out; }
  /// @param x [n_state] pu
  virtual UnitReadout readout(std::span<const double> x, std::complex<double> v) const = 0;
  /// Stored energy at nominal speed over the rating; 0: not a machine, or an infinite bus.
  virtual double inertia_s() const { return 0.0; }
};

}  // namespace TIDEWATT_NAMESPACE::grid
