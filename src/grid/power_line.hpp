#pragma once
#include <span>

#include "numerics/spectrum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The largest spectral line of a recorded power. Report, data sheet and LINJBL record take it from here.
struct PowerLine {
  double frequency_Hz = 0.0;
  double amplitude_W = 0.0;  ///< peak, half of peak to peak; 0: there is none
  double lowest_Hz = 0.0;    ///< lowest frequency considered
  double segment_s = 0.0;    ///< length of the averaged segments
};

/// Welch's spectrum of a power, Hann window. Segments are the longest power of two that fits twice (at most 131,072 samples),
/// so that at least three overlapping ones are averaged.
/// @param P_W [sample]  @param step_s between samples, > 0
numerics::Spectrum power_spectrum(std::span<const double> P_W, double step_s);

/// The largest line at or above four bins of that spectrum: slower changes cannot be distinguished from a drift.
/// @param lowest_Hz looks no lower than this either
PowerLine largest_line(const numerics::Spectrum& spectrum, double lowest_Hz = 0.02);

}  // namespace TIDEWATT_NAMESPACE::grid
