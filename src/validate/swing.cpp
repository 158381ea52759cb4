#include "swing.hpp"

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::validate {

// With σ half the sum of the decay rates and ω_2² = ±(b − σ²), the deviation from the end is
// e^(−σt) (−s cos ω_2 t + (v − σ s)/ω_2 sin ω_2 t), hyperbolic where it creeps, with s the end and v the first slope.
SwingResponse::SwingResponse(double H, double D, double R, double T, double p) {
  if (!(H > 0.0 && D >= 0.0 && R > 0.0 && T > 0.0 && std::isfinite(p)))
    throw InputError("swing: inertia, droop and governor time must be positive, damping not negative");
  settled_ = -p / (D + 1.0 / R);
  slope_ = -p / (2.0 * H);
  sigma_ = 0.5 * (1.0 / T + D / (2.0 * H));
  const double b = (D + 1.0 / R) / (2.0 * H * T), gap = b - sigma_ * sigma_;
  kind_ = std::abs(gap) < 1e-12 * b ? Kind::critical : gap > 0.0 ? Kind::oscillating : Kind::creeping;
  omega_ = std::sqrt(std::abs(gap));
  // ω' = e^(−σt) (v cos ω_2 t + (s b − σ v)/ω_2 sin ω_2 t) = 0
  const double against = settled_ * b - sigma_ * slope_;
  if (kind_ == Kind::oscillating) {
    turn_s_ = std::atan2(slope_ * omega_, -against) / omega_;
    if (turn_s_ <= 0.0) turn_s_ += 3.14159265358979323846 / omega_;
    turns_ = slope_ != 0.0;
  } else if (slope_ != 0.0) {
    const double ratio = -against / slope_;  // ω_2 coth ω_2 t, or 1/t
    turns_ = ratio > omega_;
    if (turns_) turn_s_ = kind_ == Kind::critical ? 1.0 / ratio : std::atanh(omega_ / ratio) / omega_;
  }
}

double SwingResponse::deviation_pu(double t) const {
  const double k = slope_ - sigma_ * settled_;
  if (kind_ == Kind::critical) return settled_ + math::exp(-sigma_ * t) * (-settled_ + k * t);
  if (kind_ == Kind::oscillating)
    return settled_ + math::exp(-sigma_ * t) * (-settled_ * std::cos(omega_ * t) + k / omega_ * std::sin(omega_ * t));
  const double fast = math::exp(-(sigma_ + omega_) * t), slow = math::exp(-(sigma_ - omega_) * t);
  return settled_ - 0.5 * settled_ * (slow + fast) + 0.5 * k / omega_ * (slow - fast);
}

}  // namespace TIDEWATT_NAMESPACE::validate
