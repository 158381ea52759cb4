#pragma once
#include <span>
#include <vector>

#include "tidewatt/mitigation/gpu_smoothing.hpp"
#include "tidewatt/sim/fleet_step.hpp"

namespace tidewatt::sim {

/// The work of one phase in the governor's terms.
dvfs::PhaseMix mix_of(const workload::PhaseKind& kind);

/// Work inside the window of `window_s` seconds in which a class would draw most, over the repeating timeline.
/// @param timeline at pace 1  @param nominal_W [kind]
dvfs::PhaseMix worst_window(const workload::Timeline& timeline, std::size_t cls, std::span<const double> nominal_W,
                            double window_s);

/// Fills everything of a task that follows from its timeline's kinds.
void set_kinds(FleetTask& task, const workload::Timeline& timeline, const NodeType& type, double reference_Hz);

/// Power of the nominal chip in every kind when its class is gated, at the die temperature `die_K`, W.
std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K);

/// A timeline whose GPUs are smoothed, with the power bounds of its new kinds.
struct SmoothedTimeline {
  workload::Timeline timeline;
  std::vector<double> low_W, high_W;  ///< [kind]
};

/// Applies GPU smoothing to every class. Classes that lose less time than the slowest wait for it at the end.
/// @param natural_W [kind] nominal power  @param wait_kind kind that waits  @param waiting_W its power
/// @param repeats the timeline is one of many: it begins as a repetition leaves it; otherwise it begins in `state`
/// @param state of all classes before and, from the first class, after
SmoothedTimeline smooth_timeline(const workload::Timeline& timeline, const mitigation::GpuSmoothingParams& params,
                                 double tdp_W, std::span<const double> natural_W, std::uint32_t wait_kind,
                                 double waiting_W, bool repeats,
                                 mitigation::SmoothingState& state);

/// What happens from `from` to `to` within one repetition.
workload::Timeline slice(const workload::Timeline& timeline, Tick from, Tick to);

}  // namespace tidewatt::sim
