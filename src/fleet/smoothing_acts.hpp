#pragma once
#include <span>

#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// How long each part of GPU power smoothing set a GPU's power, mean over GPUs, s. The first three exclude one another. Without
/// work the hysteresis keeps the floor in force, also while power is still above the floor.
struct SmoothingActs {
  double floor_s = 0.0;       ///< raised to the floor
  double ramp_up_s = 0.0;     ///< below what the work would draw: it may not rise faster
  double ramp_down_s = 0.0;   ///< above what the work draws: it may not fall faster
  double hysteresis_s = 0.0;  ///< work is below the floor, and the floor is still in force
  /// Adds what acted for a part of the time. @param share of it, 0 to 1, or its length in s of figures per second
  void add(const SmoothingActs& other, double share) {
    floor_s += share * other.floor_s;
    ramp_up_s += share * other.ramp_up_s;
    ramp_down_s += share * other.ramp_down_s;
    hysteresis_s += share * other.hysteresis_s;
  }
  template <class A>
  void archive(A& a) {
    a(floor_s, ramp_up_s, ramp_down_s, hysteresis_s);
  }
};

/// Parts that act in one repetition of a held timeline. The level shows them: it rises only with the ramp up, falls only with the ramp
/// down, and is at the floor while the time without work counts.
/// @param begin [class] memory at its beginning  @param n_in [class] nodes
SmoothingActs smoothing_acts(const HeldTimeline& held, const mitigation::GpuSmoothingParams& params, double tdp_W,
                             std::span<const HoldState> begin, std::span<const double> n_in);

}  // namespace TIDEWATT_NAMESPACE::fleet
