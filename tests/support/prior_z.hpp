#pragma once
#include <cmath>

#include "study/fit_posterior.hpp"

/// The inverse of prior_value: standard deviations from the prior's middle, dimensionless. @param value in the key's unit
inline double prior_z(const tidewatt::study::PriorParameter& p, double value) {
  const double a = p.logarithmic ? std::log(p.low) : p.low, b = p.logarithmic ? std::log(p.high) : p.high;
  return ((p.logarithmic ? std::log(value) : value) - 0.5 * (a + b)) * 2.0 * tidewatt::study::normal_95 / (b - a);
}
