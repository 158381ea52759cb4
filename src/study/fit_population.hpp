#pragma once
#include <span>
#include <vector>

#include "fit_posterior.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One chip's share of a population: the first parameters of its posterior, the others averaged out.
struct ChipPosterior {
  std::vector<double> z, covariance;  ///< [parameter], [parameter][parameter], in the prior's standard deviations
};
/// The first `n_parameter` parameters of a fit, [parameter].
ChipPosterior chip_part(const Posterior& posterior, std::size_t n_parameter);

/// What chips of one type have in common. Chip i's parameters scatter around the type's by a spread s of their logarithm:
///
///     z_i ~ N(μ, T(s)),   μ ~ N(0, 1),   L_i(z_i) ∝ N(z_i; m_i, C_i) / N(z_i; 0, 1)
///
/// μ is averaged over s with the weight of its likelihood and the spread's prior.
struct Population {
  std::vector<FitValue> values;  ///< of the type, [parameter]
  std::vector<double> z, covariance;
  FitValue spread;  ///< s, `key` chip_sigma_ratio
};
/// @param prior   the parameters' own, all logarithmic where `varies`  @param varies [parameter] whether it differs between chips
/// @param spread  prior of s  @throws InputError if there is no chip
Population fit_population(const std::vector<ChipPosterior>& chips, const std::vector<PriorParameter>& prior,
                          const std::vector<bool>& varies, const PriorParameter& spread);

}  // namespace TIDEWATT_NAMESPACE::study
