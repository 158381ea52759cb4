#pragma once
#include <span>
#include <vector>

#include "fit_node_power.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// From when to when all nodes waited although a job ran, s.
struct Rest {
  double begin_s, end_s;
};

/// Rests that a log shows and its events do not, such as data loading before the first iteration: three or more readings in a row
/// below the middle between the median and the lowest power that three readings hold. None unless that is below 0.6 of the median.
/// Edges are where the line between two readings crosses the middle.
std::vector<Rest> find_rests(const NodePowerLog& log);

/// Work with the rests cut out as idle intervals, in order. A part keeps its share of an interval's iterations.
std::vector<WorkInterval> with_rests(std::span<const WorkInterval> work, std::span<const Rest> rests);

}  // namespace TIDEWATT_NAMESPACE::study
