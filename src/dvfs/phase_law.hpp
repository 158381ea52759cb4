#pragma once
// The power equation of a mix of work, once: what a phase's seconds count as switching time, and what its transfers add. Plain functions of
// numbers, which loops over lanes call. Private to the library.
//
//     D = M s + slack + memory + link + wait          s = f_ref/f,   slack = M (f_ref/f_gate − s) behind a slower rank
//     E = A s + a_memory memory + a_link link + a_wait (wait + slack)
//     P = P_board + (P_dyn(V, f) E + P_hbm hbm + P_link full_link)/D + P_leak(T, V)
//
// M is matrix_s, A active_matrix_s. Loops over clocks take D and E as lines in s.
#include <cmath>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// Core activity outside matrix work: seconds of it → seconds at activity 1.
class ActivityLaw {
 public:
  /// Of one GPU type.
  TIDEWATT_INLINE explicit ActivityLaw(const power::GpuPowerParams& p)
      : memory_(p.memory_activity), link_(p.link_activity), wait_(p.wait_activity) {}
  /// Bound by memory, s at activity 1. @param s seconds
  TIDEWATT_INLINE double memory_s(double s) const { return memory_ * s; }
  /// Communicating, s at activity 1. @param s seconds
  TIDEWATT_INLINE double link_s(double s) const { return link_ * s; }
  /// Waiting, s at activity 1. @param s seconds
  TIDEWATT_INLINE double wait_s(double s) const { return wait_ * s; }
  /// Waiting on top of other seconds at activity 1, in one rounding.
  TIDEWATT_INLINE double with_wait_s(double s, double equivalent_s) const { return std::fma(wait_, s, equivalent_s); }

 private:
  double memory_, link_, wait_;
};

struct PhaseTimes {
  double busy_s;        ///< matrix work
  double duration_s;    ///< all of it
  double equivalent_s;  ///< at activity 1
};

/// @param stretch reference clock ÷ clock, dimensionless  @param gate_stretch the same of the slowest rank, which this one waits for,
/// dimensionless; 0: none
TIDEWATT_INLINE PhaseTimes phase_times(const ActivityLaw& activity, const PhaseMix& mix, double stretch,
                                       double gate_stretch) {
  const double busy_s = mix.matrix_s * stretch, gated_s = mix.matrix_s * gate_stretch;
  const double slack_s = gate_stretch > 0.0 ? gated_s - busy_s : 0.0;
  return {busy_s, busy_s + slack_s + mix.memory_s + mix.link_s + mix.wait_s,
          mix.active_matrix_s * stretch + activity.memory_s(mix.memory_s) + activity.link_s(mix.link_s) +
              activity.wait_s(mix.wait_s + slack_s)};
}

/// Of memory and links, beside what switches, J.
TIDEWATT_INLINE double transfer_J(const power::GpuPowerParams& p, const PhaseMix& mix) {
  return p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s;
}

/// D and E of a mix as lines in the stretch s: D = matrix_s s + other_s, E = active_s s + other_active_s.
struct PhaseLine {
  double matrix_s, active_s;       ///< at the reference clock
  double other_s, other_active_s;  ///< whatever the clock is
  /// Alone.
  static PhaseLine of(const ActivityLaw& activity, const PhaseMix& mix) {
    return {mix.matrix_s, mix.active_matrix_s, mix.memory_s + mix.link_s + mix.wait_s,
            activity.memory_s(mix.memory_s) + activity.link_s(mix.link_s) + activity.wait_s(mix.wait_s)};
  }
  /// Behind a slower rank, whose matrix work takes `gate_s`: D is that one's, and this one waits for what it leaves of it.
  PhaseLine gated(const ActivityLaw& activity, double gate_s) const {
    return {0.0, active_s - activity.wait_s(matrix_s), gate_s + other_s, other_active_s + activity.wait_s(gate_s)};
  }
  /// D, s. @param stretch reference clock ÷ clock, dimensionless
  TIDEWATT_INLINE double duration_s(double stretch) const { return std::fma(matrix_s, stretch, other_s); }
  /// E, s. @param stretch reference clock ÷ clock, dimensionless
  TIDEWATT_INLINE double equivalent_s(double stretch) const { return std::fma(active_s, stretch, other_active_s); }
  /// E with time in which it waits for a slower rank, s. @param stretch reference clock ÷ clock, dimensionless  @param slack_s s
  TIDEWATT_INLINE double equivalent_s(double stretch, const ActivityLaw& activity, double slack_s) const {
    return std::fma(active_s, stretch, activity.with_wait_s(slack_s, other_active_s));
  }
};

}  // namespace TIDEWATT_NAMESPACE::dvfs
