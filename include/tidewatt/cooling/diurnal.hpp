#pragma once
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

inline constexpr Tick ns_per_hour = 3600 * ns_per_s;
inline constexpr Tick ns_per_day = 24 * ns_per_hour;

/// The course of dry-bulb temperature over a clear day, from 0 at the minimum to 1 at the maximum and back.
/// With x from 0 to 1 along each branch, `s(x) = 3x² - 2x³`:
///   rising   `f = s + x²(1-x)² (0.2 + 1.1 x)`,   falling  `f = 1 - s + x²(1-x)² (-4.4 + 4.7 x)`.
/// Both branches are level at their ends and monotone. The four figures were fitted to the mean daily course of
/// thirteen typical-year files of the United States (residual 0.03 of the daily range); low at 05 h, high at 15 h
/// there. Polynomials, so that the mean over any interval is exact and has the same bits everywhere.
class TIDEWATT_API DiurnalShape {
 public:
  /// @param low_s, high_s seconds since local midnight of the minimum and the maximum, 0 to 86,400, at least one
  /// hour apart both ways. @throws InputError otherwise.
  DiurnalShape(double low_s, double high_s);
  /// @param local_ns any local standard time; only its time of day matters
  /// @returns dimensionless, 0 to 1
  double at(Tick local_ns) const;
  /// Exact mean over [t0, t1], t0 < t1.
  /// @returns dimensionless, 0 to 1
  double mean(Tick local0_ns, Tick local1_ns) const;

 private:
  double integral_s(double since_low_s) const;  ///< over [low, low + since_low_s], 0 to 86,400 s
  double low_s_, rise_s_, fall_s_;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
