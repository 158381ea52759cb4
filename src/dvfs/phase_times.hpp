#pragma once
// How long a mix of work lasts, and how long of that it switches. Private to the library.
#include "tidewatt/base/simd.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

struct PhaseTimes {
  double busy_s;        ///< matrix work
  double duration_s;    ///< all of it
  double equivalent_s;  ///< at activity 1
};

/// @param stretch reference clock ÷ clock, dimensionless  @param gate_stretch the same of the slowest rank, which this one waits for,
/// dimensionless; 0: none
TIDEWATT_INLINE PhaseTimes phase_times(const power::GpuPowerParams& p, const PhaseMix& mix, double stretch,
                                       double gate_stretch) {
  const double busy_s = mix.matrix_s * stretch;
  const double slack_s = gate_stretch > 0.0 ? mix.matrix_s * gate_stretch - busy_s : 0.0;
  return {busy_s, busy_s + slack_s + mix.memory_s + mix.link_s + mix.wait_s,
          mix.active_matrix_s * stretch + p.memory_activity * mix.memory_s + p.link_activity * mix.link_s +
              p.wait_activity * (mix.wait_s + slack_s)};
}

/// Of memory and links, beside what switches, J.
TIDEWATT_INLINE double transfer_J(const power::GpuPowerParams& p, const PhaseMix& mix) {
  return p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s;
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
