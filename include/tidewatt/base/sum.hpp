#pragma once
#include <cmath>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Neumaier's compensated sum: the error does not grow with the number of terms.
class TIDEWATT_API CompensatedSum {
 public:
  /// Adds a term, in any one unit.
  void add(double x) {
    const double t = sum_ + x;
    carry_ += std::abs(sum_) >= std::abs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  /// Adds another sum with its carry.
  void add(const CompensatedSum& other) {
    add(other.sum_);
    carry_ += other.carry_;
  }
  /// The sum, in the terms' unit.
  double value() const { return sum_ + carry_; }
  template <class A>
  void archive(A& a) {
    a(sum_, carry_);
  }

 private:
  double sum_ = 0.0;
  double carry_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE
