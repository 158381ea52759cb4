#pragma once
#include <span>
#include <vector>

#include "tidewatt/workload/trace.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Mean and harmonics of something periodic that was sampled at arbitrary instants.
struct PeriodicFit {
  double period_s = 0.0;
  double mean = 0.0;
  std::vector<double> amplitude;  ///< [harmonic - 1], half the peak-to-peak of a sine
  std::vector<double> phase_rad;  ///< of cos(2πkt/T - phase)
  double residual_rms = 0.0;
  double explained_frac = 0.0;  ///< share of the variance that the harmonics hold
  /// The fitted curve at an instant, in the values' unit.
  double at(double t_s) const;
};

/// Least squares of y = c + Σ_k (a_k cos kωt + b_k sin kωt), k = 1 … n_harmonic. Sampling slower than the harmonics is
/// no obstacle as long as the instants drift through the period: that is how a 2 s power log shows a 10 s iteration.
/// @throws InputError for fewer samples than twice the unknowns, or instants that do not tell the harmonics apart
PeriodicFit fit_periodic(std::span<const double> time_s, std::span<const double> value, double period_s,
                         int n_harmonic);

/// The period in [low_s, high_s] whose fit explains most, searched on a grid as fine as the length of the series
/// demands (a quarter of a turn of the highest harmonic) and refined by golden section.
/// @param value [sample], any unit  @throws InputError unless 0 < low < high, and as fit_periodic
PeriodicFit find_period(std::span<const double> time_s, std::span<const double> value, double low_s, double high_s,
                        int n_harmonic);

/// Mean by place in the period: bin i holds the samples with phase in [i, i + 1)/n. Empty bins are NaN.
/// @param time_s, value [sample], any unit; @returns [n_bin], that unit
std::vector<double> fold(std::span<const double> time_s, std::span<const double> value, double period_s,
                         std::size_t n_bin);

/// Instants (s from tick 0) and values of one channel's samples inside [begin, end).
struct Samples {
  std::vector<double> time_s, value;
};
/// Empty where none lies there. @param channel < n_channel
Samples samples(const Trace& trace, std::size_t channel, Tick begin, Tick end);

}  // namespace TIDEWATT_NAMESPACE::workload
