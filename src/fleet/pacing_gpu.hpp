#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fleet_step.hpp"
#include "tidewatt/mitigation/gpu_smoothing.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// The GPU that sets a class's pace, for smoothing.
struct PacingGpu {
  std::vector<double> natural_W;                 ///< [kind]
  std::vector<mitigation::ThrottleCurve> curve;  ///< [kind] by clock and voltage; empty: a kind that clocks do not slow
};

/// Its chip, and its clock in each kind of work.
struct PacingChip {
  power::Chip chip{};
  double pace_Hz = 0.0;                 ///< mean clock
  double more_W = 0.0;                  ///< at every clock, beyond the chip's power
  std::vector<dvfs::KindClock> kind{};  ///< [kind]; empty: one clock for all
};

/// The chip that smoothing and ballast follow where a rank of such courses leads.
PacingChip pacing_chip(const CourseMix& lead, std::size_t n_kind, double pace_Hz);

/// @param context [kind] as FleetTask::kind_context  @param die_K temperature of its die  @returns one entry per kind of work
PacingGpu pacing_gpu(const NodeType& type, std::span<const dvfs::PhaseMix> kind_mix,
                     std::span<const std::uint8_t> context, double reference_Hz, const PacingChip& of, double die_K);

/// That of a class of a task: in its courses, or without them at one clock. There, if it is slower than a nominal one, its power limit
/// sets that clock, and its leakage is such that its worst window is at the limit.
PacingGpu pacing_gpu(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                     double die_K);

}  // namespace TIDEWATT_NAMESPACE::fleet
