#pragma once
#include <vector>

#include "fit.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A GPU at rest, or an interval (an hour) of which only the mean and the extremes are known.
struct RestSample {
  double mean_W, low_W, high_W;  ///< low = high = mean where it was at rest
  double die_K;                  ///< mean
};

/// Die temperature at rest under a fan that follows it:
///
///     T = T_air + P (R_fixed + R_sink s^−0.8),   s = s_min + (1 − s_min) (T − T_start)/(T_full − T_start), bounded
///
/// An interval with extremes is taken as a mix of both that has its mean power.
struct FanLoop {
  double air_K, fixed_K_per_W, sink_K_per_W, fan_min_frac, fan_start_K, fan_full_K;
};
/// Die temperature at rest, K, at a GPU power in W.
double rest_die_K(const FanLoop& loop, double power_W);
/// The same for a sample, K: an interval with extremes is the mix of both that has its mean power.
double rest_die_K(const FanLoop& loop, const RestSample& sample);

struct FanLoopFit {
  FanLoop loop;
  Fit fit;
};
/// Least squares over [sample] rest temperatures, K. @throws InputError if there are fewer samples than unknowns
FanLoopFit fit_fan_loop(const std::vector<RestSample>& samples);

}  // namespace TIDEWATT_NAMESPACE::study
