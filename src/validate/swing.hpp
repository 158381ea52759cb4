#pragma once
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Answer of an inertia with a first-order governor to a lasting step of load, in closed form.
///
///     2H ω' = y − p − D ω,   T y' = −ω/R − y,   ω(0) = y(0) = 0
///     ω'' + (1/T + D/2H) ω' + (D + 1/R)/(2HT) ω = −p/(2HT),   ω'(0) = −p/2H
///
/// The check of the frequency model, and a first look at a new system. Source: [@kundur], ch. 11.
class SwingResponse {
 public:
  /// @param step_pu p, load step per rating  @throws InputError if H, T or R is not positive or D negative
  SwingResponse(double inertia_s, double damping_pu, double droop_pu, double governor_s, double step_pu);

  double deviation_pu(double t_s) const;          ///< ω
  double rocof_per_s() const { return slope_; }   ///< ω'(0)
  double settled_pu() const { return settled_; }  ///< ω(∞) = −p/(D + 1/R)
  bool turns() const { return turns_; }           ///< false: it approaches its end value without overshoot
  double turn_s() const { return turn_s_; }       ///< first instant of ω' = 0
  /// ω at its first turning point; meaningless without one.
  double turn_pu() const { return deviation_pu(turn_s_); }

 private:
  enum class Kind { oscillating, critical, creeping } kind_;
  double settled_, slope_, sigma_, omega_, turn_s_ = 0.0;
  bool turns_ = false;
};

}  // namespace TIDEWATT_NAMESPACE::validate
