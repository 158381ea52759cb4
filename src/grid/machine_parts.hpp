#pragma once
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "grid_unit.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// What a machine needs to stay at rest.
struct RotorRest {
  double field_pu = 0.0;
  double field_current_pu = 0.0;
  double mechanical_pu = 0.0;
};

/// Rotor and stator of a synchronous machine; the first two states are angle and speed deviation.
class Rotor {
 public:
  virtual ~Rotor() = default;
  virtual std::vector<std::string> states() const = 0;  ///< names, [n_state]
  /// Fills the states [n_state, pu] at a terminal voltage and generated power, pu of the rating.
  virtual RotorRest rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) const = 0;
  /// pu, x [n_state].
  virtual std::complex<double> current(std::span<const double> x, std::complex<double> v) const = 0;
  /// Field current in the unit in which it equals the field voltage at rest, pu. @param x [n_state]
  virtual double field_current_pu(std::span<const double> x, std::complex<double> v) const = 0;
  /// Rates of change, pu/s. @param x, rate [n_state]  @param torque_pu of the shaft  @param field_pu voltage
  virtual void rates(std::span<const double> x, std::complex<double> v, double torque_pu, double field_pu,
                     std::span<double> rate) const = 0;
  virtual double inertia_s() const = 0;  ///< H, s; 0: an infinite bus
};

/// Inputs of an exciter, pu.
struct ExciterInput {
  double voltage_pu = 1.0;
  double stabiliser_pu = 0.0;
  double field_current_pu = 0.0;
};

/// Excitation system: from terminal voltage to field voltage.
class Exciter {
 public:
  virtual ~Exciter() = default;
  virtual std::vector<std::string> states() const = 0;  ///< names, [n_state]
  /// Fills the states [n_state, pu] and keeps the voltage reference that gives this field.
  virtual void rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) = 0;
  virtual double field_pu(std::span<const double> x, const ExciterInput& in) const = 0;  ///< x [n_state]
  /// Rates of change, pu/s. @param x, rate [n_state]
  virtual void rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const = 0;
  virtual void limits(std::span<StateLimit> out) const { (void)out; }  ///< out [n_state]
};

/// Governor and turbine: from speed deviation to mechanical power.
class Governor {
 public:
  virtual ~Governor() = default;
  virtual std::vector<std::string> states() const = 0;  ///< names, [n_state]
  /// Fills the states [n_state, pu] and keeps the reference that gives this power.
  virtual void rest(double mechanical_pu, std::span<double> x) = 0;
  virtual double mechanical_pu(std::span<const double> x, double speed_pu) const = 0;  ///< x [n_state]
  /// Rates of change, pu/s. @param x, rate [n_state]
  virtual void rates(std::span<const double> x, double speed_pu, std::span<double> rate) const = 0;
  virtual void limits(std::span<StateLimit> out) const { (void)out; }  ///< out [n_state]
};

/// Possible inputs of a stabiliser, pu of the machine's rating.
struct StabiliserInput {
  double speed_pu = 0.0, power_pu = 0.0, voltage_pu = 1.0;
};

/// Power system stabiliser: a signal into the exciter's summing point.
class Stabiliser {
 public:
  virtual ~Stabiliser() = default;
  virtual std::vector<std::string> states() const = 0;  ///< names, [n_state]
  /// Fills the states [n_state, pu] for an input that does not move.
  virtual void rest(const StabiliserInput& in, std::span<double> x) = 0;
  virtual double signal_pu(std::span<const double> x, const StabiliserInput& in) const = 0;  ///< x [n_state]
  /// Rates of change, pu/s. @param x, rate [n_state]
  virtual void rates(std::span<const double> x, const StabiliserInput& in, std::span<double> rate) const = 0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
