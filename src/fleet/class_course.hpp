#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dvfs/clock_course.hpp"
#include "site.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// What the limiter makes of a class's repetition. Clocks by kind and by time are the nominal chip's, relative to a chip's own mean
/// clock. A chip's mean clock is the one at which the power of the whole repetition is P_cap − margin − (unused_W + unused_W_per_Hz f +
/// unused_per_leakage L), L its leakage at the reference voltage: a slower chip reaches the table's end less often, so its limiter can
/// use more, and a leaky one meets the fast limit at another share of its mean.
struct ClassCourse {
  dvfs::ClockCourse nominal;
  double unused_W = 0.0, unused_W_per_Hz = 0.0, unused_per_leakage = 0.0;
  /// [segment] work done until its end, s at the reference clock, and share of the repetition that has passed: the same work has the
  /// same place in a repetition at another pace.
  std::vector<double> done_s, end_frac;
};

/// Courses of the classes of a timeline that repeats.
/// @param pace_Hz clock at which it has its durations  @param cap_W, max_Hz limits in force
/// @param lead [class] of the rank that all wait for, whose mean clock is pace_Hz; empty: of such ranks themselves
std::vector<ClassCourse> class_courses(const workload::Timeline& timeline, const NodeType& type, double reference_Hz,
                                       double pace_Hz, double cap_W, double max_Hz,
                                       std::span<const ClassCourse> lead = {});

/// A course between two of neighbouring paces.
struct CourseMix {
  const ClassCourse *slower = nullptr, *faster = nullptr;
  double faster_share = 0.0;

  double between(double at_slower, double at_faster) const {
    return at_slower + faster_share * (at_faster - at_slower);
  }
  dvfs::KindClock kind(std::size_t k) const;
  dvfs::PhaseMix all() const;
  double unused_W() const { return between(slower->unused_W, faster->unused_W); }
  double unused_per_leakage() const { return between(slower->unused_per_leakage, faster->unused_per_leakage); }
  double unused_W_per_Hz() const { return between(slower->unused_W_per_Hz, faster->unused_W_per_Hz); }
};

/// Clock ÷ mean clock in the segments of a timeline of the same work at another pace.
class CourseRatios {
 public:
  /// @param pace of the timeline, relative
  CourseRatios(const CourseMix& course, const workload::Timeline& timeline, std::size_t cls, double pace);
  /// Mean between two shares of a segment.
  double at(std::size_t segment, double from_frac, double to_frac) const;

 private:
  struct Span {
    double from, to;  ///< shares of the course's repetition
  };
  CourseMix course_;
  std::vector<Span> slower_, faster_;  ///< [segment]
};

}  // namespace TIDEWATT_NAMESPACE::fleet
