#pragma once
#include <vector>

#include "tidewatt/workload/timeline.hpp"

/// Rules for the length of a step that do not depend on a job; those that do are in sim/step_planner.cpp.
namespace TIDEWATT_NAMESPACE::fleet {

/// The first step after an edge of a GPU's work.
inline constexpr Tick first_step_after_edge = 10 * ns_per_ms;

/// Splits segments so that no step after an edge is longer than `first`, doubling from there: every class's steps are
/// graded and none crosses an edge.
workload::Timeline graded(const workload::Timeline& timeline, Tick first = first_step_after_edge);

/// Splits segments that are so long that the die's response changes the waveform; their parts double.
void split_long(workload::Timeline& timeline);

/// Splits work that follows a long wait: clocks that rose while a GPU waited fall in its first tenths of a second.
void split_after_waits(workload::Timeline& timeline);

/// Work between two bounds of smoothing or ballast can be long, and clocks move in it.
inline constexpr Tick most_between_bounds = 80 * ns_per_ms;

/// Splits segments longer than `most` into equal parts.
void split_evenly(workload::Timeline& timeline, Tick most);

/// Ends of the slices of a stretch from `begin` to `end` that grow by `growth` from `first` on; the last one includes a short
/// remainder.
std::vector<Tick> slice_ends(Tick begin, Tick end, Tick first, std::int64_t growth);

/// Ticks until the last class enters the gradients' exchange; 0: none does.
Tick exchange_begin(const workload::Timeline& timeline);

}  // namespace TIDEWATT_NAMESPACE::fleet
