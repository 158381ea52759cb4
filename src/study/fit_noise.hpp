#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Noise of a record: independent readings plus a drift that is forgotten after a while,
///
///     e(t) = w + d(t),   ⟨w²⟩ = σ_w²,   ⟨d(t) d(t')⟩ = σ_d² exp(−|t − t'|/τ)
struct FitNoise {
  double white = 1.0;    ///< σ_w, in the unit of the readings
  double drift = 0.0;    ///< σ_d, same unit
  double drift_s = 1.0;  ///< τ, s
};

/// Turns readings with such noise into independent ones of variance 1, by the Kalman filter of the drift. Linear, so that residuals and
/// their derivatives take the same filter.
class Whitener {
 public:
  /// @param time_s ascending; gaps and unequal steps may occur
  Whitener(const FitNoise& noise, std::span<const double> time_s);
  void operator()(std::span<double> column) const;  ///< in place
  /// Σ ln S_i of the innovations' variances, dimensionless.
  double log_determinant() const { return log_determinant_; }

 private:
  std::vector<double> kept_, gain_, scale_;  // [sample] exp(−Δt/τ), Kalman gain, 1/√S
  double log_determinant_ = 0.0;
};

/// The noise of largest restricted likelihood among a grid of ratios σ_d/σ_w and times τ; σ_w follows in closed form.
/// @param residual [sample]
/// @param columns  derivatives of the residual by every parameter, so that what the parameters absorbed is not taken for silence
/// @param ridge    [parameter] precision of each parameter's prior, in the columns' units
FitNoise fit_noise(std::span<const double> time_s, std::span<const double> residual,
                   const std::vector<std::vector<double>>& columns, std::span<const double> ridge);

/// Number of independent readings that a mean over the record is worth, n² σ² / Σ_ij ⟨e_i e_j⟩ at equal weights. Dimensionless.
double effective_samples(const FitNoise& noise, std::span<const double> time_s);

}  // namespace TIDEWATT_NAMESPACE::study
