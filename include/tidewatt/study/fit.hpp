#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tidewatt::study {

/// A number to be found between two ends.
struct FitParameter {
  std::string key;
  double start, low, high;
};

struct FitValue {
  std::string key;
  double value;
  double low, high;  ///< 95 % interval, cut at the parameter's ends
  bool determined = true;  ///< false: the interval spans 90 % of the search range or more, so the samples say nothing
};

struct Fit {
  std::vector<FitValue> values;
  double rms = 0.0;                               ///< of the residuals
  double correlation_ratio = 0.0;                 ///< of neighbouring residuals; the intervals are widened for it
  double operator[](std::string_view key) const;  ///< value of a parameter. @throws InputError if there is none
};

/// residual(p, r): model minus measurement for every sample, in the order of time.
using Residual = std::function<void(std::span<const double> p, std::span<double> r)>;

/// Σ r² smallest, by Levenberg–Marquardt in u with p = low + (high − low)(1 + sin u)/2, which keeps p between its ends.
///
///     cov(p) = s² (JᵀJ)⁻¹ (1 + ρ)/(1 − ρ),   s² = Σ r²/(n − m),   ρ = lag-one correlation of r
///
/// so that a thousand readings of one slow error do not count as independent.
/// @throws InputError if there are fewer samples than parameters; SolverError if the search does not end
Fit least_squares(const std::vector<FitParameter>& parameters, std::size_t n_sample, const Residual& residual);

}  // namespace tidewatt::study
