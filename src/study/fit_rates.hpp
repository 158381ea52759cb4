#pragma once
#include <functional>
#include <span>
#include <vector>

#include "fit_posterior.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Posterior of one number by its likelihood on a grid over the search range of its prior: mean of z, and 95 % between equal tails.
/// @param log_likelihood of a value in the key's unit; −∞ is allowed
FitValue grid_posterior(const PriorParameter& prior, const std::function<double(double)>& log_likelihood);

/// Rate of a Poisson process, from `count` failures within `exposure` (node days and such): ln L = n ln λ − λ E. @throws InputError without exposure
FitValue fit_rate(const PriorParameter& prior, double count, double exposure);
/// Mean of exponential times: ln L = −n ln m − Σt/m. Times that have not ended count in `total` and not in `n`.
FitValue fit_mean_time(const PriorParameter& prior, double n, double total);

/// Iteration time without scatter, and the scatter of one replica (workload::Jitter): an iteration is as long as the slowest of n replicas,
///
///     p(t) = n (2Φ(z) − 1)^{n−1} 2φ(z)/(σT),   z = (t/T − 1)/σ
struct JitterFit {
  FitValue sigma_frac, iteration_s;
  std::vector<double> residual;  ///< [iteration] t less its mean by the fit, s
  std::size_t n_outlier = 0;  ///< left out: over 1.5 × the median or below its 1.5th part (saves, evaluations, stops)
};
/// @param iteration_s in order  @param n_replica dimensionless  @param resolution_s of the log: below it times are the same  @throws InputError for fewer than 20 iterations
JitterFit fit_jitter(const PriorParameter& sigma_frac, std::span<const double> iteration_s, double n_replica,
                     double resolution_s);

}  // namespace TIDEWATT_NAMESPACE::study
