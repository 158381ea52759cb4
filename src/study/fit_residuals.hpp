#pragma once
#include <span>
#include <string>
#include <vector>

#include "fit_noise.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// What a fit leaves over: how large, how long it lasts, and at which periods.
struct ResidualReport {
  struct Band {
    double short_s, long_s;  ///< periods; the longest band has no upper end (0)
    double rms;
  };
  double rms = 0.0;
  double drift_rms = 0.0, drift_s = 0.0;      ///< part that is forgotten within drift_s
  double effective_samples = 0.0;             ///< independent readings that a mean over the record is worth
  std::vector<Band> bands;                    ///< from long to short; empty: too few samples for a spectrum
  double line_s = 0.0, line_amplitude = 0.0;  ///< the largest spectral line's period; 0: none
};

/// @param time_s ascending; unequal steps are put on equal ones by straight lines  @param residual [sample]
ResidualReport residual_report(std::span<const double> time_s, std::span<const double> residual, const FitNoise& noise);

/// One line for people. @param unit of the residuals
std::string residual_text(const ResidualReport& report, const char* unit);

}  // namespace TIDEWATT_NAMESPACE::study
