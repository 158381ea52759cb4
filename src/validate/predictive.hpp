#pragma once
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Where the next value lies whose source is none of those at hand.
struct Predictive {
  double centre = 0.0;       ///< mean of the sources' means, unit of the values
  double spread = 0.0;       ///< scale s of Student's distribution, unit of the values
  double degrees = 0.0;      ///< its degrees of freedom, dimensionless, at least 1
  std::size_t n_source = 0;  ///< a count
  /// @param p in (0, 1)  @returns unit of the values
  double quantile(double p) const;
};

/// Values of one source err alike, so that many of them from few sources say little of the next source. With n values x of k sources,
/// n_j each, means m_j and harmonic mean h of the n_j (one-way random effects, unweighted means; Satterthwaite 1946 for ν):
///
///     m = Σ m_j/k,   a = (1 + 1/k) Σ (m_j - m)²/(k - 1),   b = (1 - 1/h) ΣΣ (x - m_j)²/(n - k)
///     next = m + s·t_ν,   s² = a + b,   ν = s⁴/(a²/(k - 1) + b²/(n - k))
///
/// Values of a single source, whose spread from the next nobody knows, count as a source each; so does one value, whose spread is 0.
/// @param values any unit, [n], n >= 1  @param sources of each, [n]  @throws std::logic_error without values or with other lengths
Predictive predictive(std::span<const double> values, std::span<const std::string> sources);

/// Quantile of Student's distribution. @param p in (0, 1)  @param degrees of freedom, above 0  @returns dimensionless
double student_quantile(double p, double degrees);

}  // namespace TIDEWATT_NAMESPACE::validate
