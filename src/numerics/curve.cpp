#include "tidewatt/numerics/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace tidewatt::numerics {

Curve::Curve(std::span<const double> x, std::span<const double> y) : x_(x.begin(), x.end()), y_(y.begin(), y.end()) {
  if (x_.empty()) throw InputError("curve: no points");
  if (x_.size() != y_.size()) throw InputError(fmt::format("curve: {} abscissas but {} values", x_.size(), y_.size()));
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (!std::isfinite(x_[i]) || !std::isfinite(y_[i]))
      throw InputError(fmt::format("curve: point {} is not finite", i));
    if (i > 0 && !(x_[i] > x_[i - 1]))
      throw InputError(fmt::format("curve: abscissas must increase, but {} follows {}", x_[i], x_[i - 1]));
  }
}

std::size_t Curve::piece(double x) const {
  const auto above = std::upper_bound(x_.begin(), x_.end(), x);
  return std::min(static_cast<std::size_t>(above - x_.begin()) - 1, x_.size() - 2);
}

double Curve::operator()(double x) const {
  if (!(x > x_.front())) return y_.front();
  if (x >= x_.back()) return y_.back();
  const std::size_t i = piece(x);
  return y_[i] + (x - x_[i]) * ((y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]));
}

double Curve::slope(double x) const {
  if (x_.size() < 2 || x < x_.front() || x >= x_.back()) return 0.0;
  const std::size_t i = piece(x);
  return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
}

}  // namespace tidewatt::numerics
