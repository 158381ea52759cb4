#pragma once
// Private to sim: one figure of several jobs as the site's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Mean, sum and extremes of the values that are known; NaN without one. Of a single value all four are the value itself, bit by bit.
///
///     m ← m + (w / W)(x − m),   W ← W + w
class WeightedMean {
 public:
  /// @param weight ≥ 0, in one unit for all values  @param x value in the unit of all; NaN: not known, and left out
  void add(double weight, double x) {
    if (!std::isfinite(x)) return;
    sum_ = known_ ? sum_ + x : x;
    least_ = known_ ? std::min(least_, x) : x;
    most_ = known_ ? std::max(most_, x) : x;
    known_ = true;
    if (!(weight > 0.0)) return;
    weight_ += weight;
    mean_ += weight / weight_ * (x - mean_);
  }
  /// @returns the mean, in the unit of the values
  double value() const { return weight_ > 0.0 ? mean_ : nan; }
  /// @returns the sum without weights, in the unit of the values
  double sum() const { return known_ ? sum_ : nan; }
  /// @returns the lowest value, in the unit of the values
  double least() const { return known_ ? least_ : nan; }
  /// @returns the highest value, in the unit of the values
  double most() const { return known_ ? most_ : nan; }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  bool known_ = false;
  double weight_ = 0.0, mean_ = 0.0, sum_ = 0.0, least_ = 0.0, most_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
