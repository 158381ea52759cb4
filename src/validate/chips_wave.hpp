#pragma once
// A square wave of one kernel under the sampled governor, as a meter with a window sees it.
#include <span>
#include <vector>

#include "chips_lab.hpp"

namespace TIDEWATT_NAMESPACE::validate {

inline constexpr double wave_step_s = 0.0005;

/// On and off for the same time, under a power cap.
struct SquareWave {
  double cap_W, on_s, degC;  // the die's temperature does not follow the wave
};
/// Watts of the board in steps of `wave_step_s` over 4 s, once the limiter has settled.
std::vector<double> wave_W(const LabKernel& kernel, const GpuCase& gpu, const SquareWave& wave);

/// Highest mean over a window, wherever it lies. @param W in steps of `wave_step_s`
double highest_mean_W(std::span<const double> W, double window_s);

}  // namespace TIDEWATT_NAMESPACE::validate
