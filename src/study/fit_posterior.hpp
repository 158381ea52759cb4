#pragma once
#include <span>
#include <string>
#include <vector>

#include "fit.hpp"
#include "fit_noise.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What is known of a parameter before the record: 95 % of a normal distribution lie between the ends, in the parameter or its logarithm.
struct PriorParameter {
  std::string key;
  double low, high;
  bool logarithmic = true;
};

/// Outcome of a fit with priors. `fit` holds the values for people; `z` and `covariance` hold them in standard deviations of the prior
/// from its middle, [parameter] and [parameter][parameter].
struct Posterior {
  Fit fit;
  std::vector<PriorParameter> prior;
  std::vector<double> z, covariance;
  FitNoise noise;
  std::vector<double> residual;  ///< [sample] at the mode
  /// Element of `covariance`, dimensionless.
  double covariance_at(std::size_t i, std::size_t k) const { return covariance[i * z.size() + k]; }
};

inline constexpr double normal_95 = 1.959963984540054;  ///< half width of 95 % in standard deviations
/// The search ends this many standard deviations of the prior from its middle.
inline constexpr double search_sigma = 4.0;
/// Above this fraction of the prior's width a parameter counts as not identified.
inline constexpr double identified_width_ratio = 0.8;

/// The parameter, in its key's unit, at z of its prior. @param z standard deviations, dimensionless
double prior_value(const PriorParameter& p, double z);

/// Summary of a parameter with this mode and standard deviation, both in z (dimensionless): value and 95 % interval, that of the prior if the
/// parameter is not identified, and whether the mode is at the edge of the search range.
FitValue posterior_value(const PriorParameter& p, double z, double sigma_z);

/// Mode and curvature of the posterior:
///
///     −2 ln p(z) = ‖W r(p(z))‖² + ‖z‖²,   cov(z) = (Jᵀ WᵀW J + 1)⁻¹
///
/// W whitens the noise that the residuals themselves show (fit_noise). Mode and noise are found in turns, from several starts.
/// @param time_s  [sample] of the residuals
/// @param step_z  of the derivatives, in standard deviations of the prior: wider for a model with steps or a solver's tolerance
/// @throws InputError if there are fewer samples than parameters
Posterior fit_posterior(const std::vector<PriorParameter>& prior, std::span<const double> time_s,
                        const Residual& residual, double step_z = 1e-4);

}  // namespace TIDEWATT_NAMESPACE::study
