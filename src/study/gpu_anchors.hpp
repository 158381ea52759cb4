#pragma once
#include <string>
#include <vector>

#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A state in which a board's power was measured.
struct GpuState {
  double clock_Hz, die_K;
  double activity, hbm_frac;  ///< of switching and of memory bandwidth, 0 to 1
  bool context = true;        ///< false: parts of the leakage are gated off (rest_leakage_ratio)
  bool waiting = false;       ///< kernels spin: wait_activity is added
};

/// Board power of a nominal chip, W:
///
///     P = P_board + r P_leak(T, V(f)) + (a + a_wait) P_dyn(V, f) + b P_hbm        r, a_wait: without context, while waiting
double state_W(const power::GpuPowerParams& p, const GpuState& state);

/// Mean power to which the governor of a GPU controls, W. @param gpu catalog entry  @param cap_W 0: the board's limit
double limit_W(const std::string& gpu, double cap_W);

/// Keys of a gpu entry that `states_W` can change, in its units.
std::vector<std::string> anchor_keys();

/// Powers of states for many draws of a gpu entry's values, [draw][state].
/// @param gpu catalog entry  @param keys as anchor_keys  @param draws [draw][key], in the entry's units  @throws InputError for another key
std::vector<std::vector<double>> states_W(const std::string& gpu, const std::vector<std::string>& keys,
                                          const std::vector<std::vector<double>>& draws,
                                          const std::vector<GpuState>& states);

}  // namespace TIDEWATT_NAMESPACE::study
