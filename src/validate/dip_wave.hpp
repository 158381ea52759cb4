#pragma once
#include <vector>

#include "tidewatt/workload/trace.hpp"
#include "workload/mlperf_log.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Samples of a training log by their place in the iteration, 0 … 1 between two logged ends of steps.
struct PlacedSamples {
  double period_s = 0.0;  ///< mean time between logged ends
  std::vector<double> place_frac, value;
};

/// Samples of one channel in all iterations that begin in [begin, end). Steps further apart than 1.2 medians have
/// something else between them (an evaluation) and are left out.
PlacedSamples place_in_steps(const workload::MlperfLog& log, const workload::Trace& trace, std::size_t channel,
                             Tick begin, Tick end);

/// Plateau with one rectangular dip per iteration, seen through a sensor with a first-order lag.
/// In a steady train of period T the lagged dip is, at time x after its begin (θ = lag, w = dip's length),
///   d (1 - A e^(-x/θ)) for x < w,  A = (1 - e^(-(T-w)/θ))/(1 - e^(-T/θ));  then d B e^(-(x-w)/θ), B = 1 - A e^(-w/θ).
struct DipWave {
  double period_s = 0.0;
  double plateau = 0.0, depth = 0.0;
  double begin_frac = 0.0, width_frac = 0.0;
  double lag_s = 0.0;
  /// The lagged wave at a place in the iteration, in the samples' unit (W or share).
  double at(double place_frac) const;
  /// plateau - depth · width: a lag does not change the mean.
  /// In the samples' unit (W or share).
  double mean() const { return plateau - depth * width_frac; }
};

/// Least squares: plateau and depth linear; begin, width and lag by a grid and pattern search. @throws InputError for
/// fewer than 20 samples
DipWave fit_dip(const PlacedSamples& samples);

/// Amplitudes of the iteration's lines 1 … n, together with the mean by least squares over all samples.
/// @return [line - 1], in the samples' unit  @throws InputError for fewer than 4 n samples
std::vector<double> line_amplitudes(const PlacedSamples& samples, std::size_t n);

}  // namespace TIDEWATT_NAMESPACE::validate
