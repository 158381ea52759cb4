#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fit_noise.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A number to be found between two ends.
struct FitParameter {
  std::string key;
  double start, low, high;
  bool low_is_natural = false;  ///< the low end is a limit of nature (a width of 0), not of the search
};

struct FitValue {
  std::string key;
  double value;
  double low, high;  ///< 95 % interval
  bool identified =
      true;  ///< false: the samples do not identify it, and the interval is that of the prior or of the search
  bool at_bound = false;  ///< the best value is at the edge of the search range, hence not an estimate
  double prior_low = 0.0, prior_high = 0.0;  ///< 95 % before the samples, or the ends of the search
};

struct Fit {
  std::vector<FitValue> values;
  double rms = 0.0;                               ///< of the residuals
  std::vector<double> residual = {};              ///< [sample]; empty: the fit keeps none
  FitNoise noise = {};                            ///< of the residuals, one sample being the unit of time
  double operator[](std::string_view key) const;  ///< value of a parameter. @throws InputError if there is none
};

/// residual(p, r): model minus measurement for every sample, in the order of time.
using Residual = std::function<void(std::span<const double> p, std::span<double> r)>;

/// Σ r² smallest, by Levenberg–Marquardt in u with p = low + (high − low)(1 + sin u)/2, which keeps p between its ends.
///
///     cov(p) = (JᵀJ)⁻¹ JᵀVJ (JᵀJ)⁻¹
///
/// V is the noise that the residuals themselves show (fit_noise, one sample being the unit of time), so that a thousand readings of one
/// slow error do not count as independent. Intervals are cut at the ends of the search; not identified means that one spans more than 76 % of it.
/// @throws InputError if there are fewer samples than parameters; SolverError if the search does not end
Fit least_squares(const std::vector<FitParameter>& parameters, std::size_t n_sample, const Residual& residual);

}  // namespace TIDEWATT_NAMESPACE::study
