#pragma once
#include <span>
#include <vector>

namespace tidewatt::numerics {

/// Piecewise-linear curve through given points.
///
///     y(x) = y_i + (x − x_i)(y_{i+1} − y_i)/(x_{i+1} − x_i),   x_i <= x <= x_{i+1}
///
/// Outside the points the end value is held; `outside()` tells the caller, who counts it (nothing is clamped silently).
class Curve {
 public:
  /// @param x strictly increasing, at least one point  @param y as many values
  /// @throws InputError naming the first pair that is not increasing, sizes that differ, or a value that is not finite
  /// Both [point], any unit.
  Curve(std::span<const double> x, std::span<const double> y);

  double operator()(double x) const;
  /// In y's unit per x's unit.
  double slope(double x) const;  ///< dy/dx of the piece to the right of x; 0 outside the points
  /// Whether x, any unit, lies beyond the points or is not a number.
  bool outside(double x) const { return !(x >= x_.front() && x <= x_.back()); }
  /// The points' x, [point], any unit.
  std::span<const double> x() const { return x_; }
  /// The points' y, [point], any unit.
  std::span<const double> y() const { return y_; }

 private:
  std::size_t piece(double x) const;  ///< i with x_i <= x < x_{i+1}; needs x inside and two points
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace tidewatt::numerics
