#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dvfs/clock_course.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Place of work in a repetition, [segment], at the segment's end: work done ÷ all work, and share of the repetition that has passed.
/// Work has the same place at every pace.
struct WorkPlaces {
  std::vector<double> done, end_frac;
  std::vector<double> frac_per_done;  ///< share of the repetition per share of the work; 0 in waits
};
using SharedPlaces = std::shared_ptr<const WorkPlaces>;  ///< of all courses of the same work

/// Of a class of a timeline. @param pace of the timeline, relative
SharedPlaces places_of(const workload::Timeline& timeline, std::size_t cls, double pace);

/// A course's sum by the places of another timeline of the same work. @param own of the course  @param n_part of the new sum
std::vector<double> at_places(const std::vector<double>& ratio_sum, const WorkPlaces& own, const WorkPlaces& of,
                              std::size_t n_part);

/// [segment] where in a course each segment of a timeline of the same work lies.
/// @param n_part of the course's sum  @param second_begin where the second of two iterations begins, each of which has the whole course;
/// 0: the timeline is one
std::vector<dvfs::RatioSpan> spans_of(const WorkPlaces& places, std::size_t n_part, const workload::Timeline& timeline,
                                      std::span<const workload::Segment> segments, double pace, Tick second_begin);

}  // namespace TIDEWATT_NAMESPACE::fleet
