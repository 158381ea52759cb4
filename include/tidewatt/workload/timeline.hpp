#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// What a GPU does in one kind of phase, as work at the reference clock. Its parts alternate in slices shorter than the board's
/// power averaging (1 s), so power inside a phase is their time-weighted mean.
/// Duration at pace p (clock of the slowest GPU ÷ reference clock): matrix_s / p + memory_s + link_s + wait_s.
struct TIDEWATT_API PhaseKind {
  std::string name;              ///< forward, backward, bubble, gradient_sync, optimizer, stall, ...
  double matrix_s = 0.0;         ///< matrix-unit work, scales with 1/clock
  double memory_s = 0.0;         ///< HBM-bound work, does not scale with the core clock
  double link_s = 0.0;           ///< exposed communication
  double wait_s = 0.0;           ///< waiting for others (spinning kernels)
  double matrix_activity = 0.0;  ///< switching activity during matrix_s, 1 = dense bf16 GEMM on random data
  double hbm_frac_matrix = 0.0;  ///< share of peak HBM bandwidth used during matrix_s
  double hbm_frac_memory = 0.0;  ///< ... and during memory_s
  double link_frac = 0.0;        ///< share of peak link bandwidth used during link_s
  bool context = true;           ///< false: no CUDA context, clocks and memory at idle
  /// Duration at the reference clock.
  double reference_s() const { return matrix_s + memory_s + link_s + wait_s; }
};

/// An interval in which a rank class stays in one kind of phase.
struct TIDEWATT_API Segment {
  Tick duration = 0;
  std::uint32_t kind = 0;  ///< index into Timeline::kinds
};

/// What every rank class does during one repetition. All classes' segments add up to `period`.
struct TIDEWATT_API Timeline {
  std::vector<PhaseKind> kinds;
  std::vector<std::vector<Segment>> classes;  ///< [class] = [replica group × n_stage + stage]
  Tick period = 0;
};

}  // namespace TIDEWATT_NAMESPACE::workload
