#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/base/version.hpp"

/// Elementary functions with the same bits on every compiler, instruction set and C library: only +, ×, fma and integer
/// operations. Branch-free, so the compiler vectorises loops over them.
namespace TIDEWATT_NAMESPACE::math {

/// e^x. Relative error <= 1e-15 for |x| <= 700; arguments are limited to ±700 (callers check their ranges).
/// x = k ln2 + r, |r| <= ln2/2; e^r by its Taylor polynomial of degree 13.
/// @param x dimensionless
TIDEWATT_INLINE double exp(double x) {
  x = x > 700.0 ? 700.0 : (x < -700.0 ? -700.0 : x);
  constexpr double round_bias = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer
  const double biased = std::fma(x, 0x1.71547652b82fep+0, round_bias);
  const double k = biased - round_bias;
  double r = std::fma(k, -0x1.62e42fefa39efp-1, x);
  r = std::fma(k, -0x1.abc9e3b39803fp-56, r);
  double p = 1.0 / 6227020800.0;
  p = std::fma(p, r, 1.0 / 479001600.0);
  p = std::fma(p, r, 1.0 / 39916800.0);
  p = std::fma(p, r, 1.0 / 3628800.0);
  p = std::fma(p, r, 1.0 / 362880.0);
  p = std::fma(p, r, 1.0 / 40320.0);
  p = std::fma(p, r, 1.0 / 5040.0);
  p = std::fma(p, r, 1.0 / 720.0);
  p = std::fma(p, r, 1.0 / 120.0);
  p = std::fma(p, r, 1.0 / 24.0);
  p = std::fma(p, r, 1.0 / 6.0);
  p = std::fma(p, r, 0.5);
  p = std::fma(p, r, 1.0);
  p = std::fma(p, r, 1.0);
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(biased) + 1023u) << 52;
  return p * std::bit_cast<double>(exponent);
}

/// Natural logarithm of a normal positive number, relative error <= 1e-14.
/// x = m 2^k, m in [sqrt(1/2), sqrt 2); ln m = 2 atanh((m-1)/(m+1)) by its odd series.
TIDEWATT_INLINE double log(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t k = static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double p = 1.0 / 23.0;
  for (int n = 21; n >= 1; n -= 2) p = std::fma(p, s2, 1.0 / n);
  return std::fma(static_cast<double>(k), 0x1.62e42fefa39efp-1,
                  std::fma(2.0 * s, p, static_cast<double>(k) * 0x1.abc9e3b39803fp-56));
}

/// x^y for x > 0.
/// Both dimensionless; the error of log times y is added to that of exp.
TIDEWATT_INLINE double pow(double x, double y) { return math::exp(y * math::log(x)); }

/// (1 - e^-x)/x for x >= 0, without cancellation near 0: the mean of e^-xs over s in (0, 1).
TIDEWATT_INLINE double mean_decay(double x) {
  if (x > 0.05) return (1.0 - math::exp(-x)) / x;
  double p = 1.0 / 362880.0;  // series: sum (-x)^n/(n+1)!
  p = std::fma(p, -x, 1.0 / 40320.0);
  p = std::fma(p, -x, 1.0 / 5040.0);
  p = std::fma(p, -x, 1.0 / 720.0);
  p = std::fma(p, -x, 1.0 / 120.0);
  p = std::fma(p, -x, 1.0 / 24.0);
  p = std::fma(p, -x, 1.0 / 6.0);
  p = std::fma(p, -x, 0.5);
  return std::fma(p, -x, 1.0);
}

}  // namespace TIDEWATT_NAMESPACE::math
