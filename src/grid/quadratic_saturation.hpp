#pragma once
#include <algorithm>
#include <cmath>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Saturation of an iron path as records give it, by S at two voltages or fluxes:
///
///     S(x) x = B (x − A)² above A, else 0
struct QuadraticSaturation {
  double A = 0.0, B = 0.0;

  /// Through S(x1) = s1 and S(x2) = s2, in any order, all pu; none where a value is 0 or the points are one.
  static QuadraticSaturation through(double x1, double s1, double x2, double s2) {
    if (x1 > x2) std::swap(x1, x2), std::swap(s1, s2);
    if (!(s1 > 0.0 && s2 > 0.0 && x1 < x2)) return {};
    const double ratio = std::sqrt(s1 * x1 / (s2 * x2)), A = (x1 - ratio * x2) / (1.0 - ratio);
    return {A, s1 * x1 / ((x1 - A) * (x1 - A))};
  }
  double excess(double x) const { return x > A ? B * (x - A) * (x - A) : 0.0; }  ///< S(x) x, pu
};

}  // namespace TIDEWATT_NAMESPACE::grid
