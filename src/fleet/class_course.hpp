#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dvfs/clock_course.hpp"
#include "site.hpp"
#include "tidewatt/workload/timeline.hpp"
#include "work_places.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Change of a kind's switching power and leakage with a chip's mean clock, see dvfs::KindClock. In waits every chip's clock rises to
/// the table's end; relative to its own mean clock, a fast chip's rises less.
struct KindSlope {
  double dynamic_per_Hz = 0.0, leakage_per_Hz = 0.0;
};
/// A kind of work at any mean clock.
struct KindCourse {
  dvfs::KindClock nominal{};
  double nominal_Hz = 0.0;
  KindSlope below{}, above{};  ///< the nominal chip's clock
  dvfs::KindClock at(double clock_Hz) const {
    const double more_Hz = clock_Hz - nominal_Hz;
    const KindSlope& slope = more_Hz < 0.0 ? below : above;
    return {nominal.clock, nominal.dynamic + slope.dynamic_per_Hz * more_Hz,
            nominal.leakage + slope.leakage_per_Hz * more_Hz};
  }
};

/// Difference of other chips from the nominal one: the bilinear surface through four chips, the nominal, a slow, a leaky, and one that is
/// both; of chips that are faster or leak less, planes without that product. All courses of the same work have one, and their clocks by time are by its places, whatever their pace. A slower chip reaches
/// the table's end less often, so its limiter can use more of the limit. A leaky one meets the fast limit at another share of its mean
/// power.
struct ChipPlane {
  SharedPlaces places;
  /// As dvfs::ClockCourse::ratio_sum, less that of the nominal chip; both_more also less slow_more and leaky_more. Empty: none,
  /// or not asked for.
  std::vector<double> slow_more, leaky_more, both_more;
  std::vector<KindSlope> kind_below,
      kind_above;                          ///< [kind] to the slow chip and to one that is as much faster; empty: none
  double nominal_Hz = 0.0, slow_Hz = 0.0;  ///< mean clocks
  double slow_unused_W = 0.0, unused_W_per_Hz = 0.0, unused_per_leakage = 0.0;
  bool limited = false;  ///< false: not even the slow chip meets a limit
};

/// Clocks of a class's repetition under the limiter. Clocks by kind and by time are the nominal chip's, relative to its mean clock;
/// each chip's mean clock scales them; their sum is by the plane's places. A chip's mean clock is the one at which the power of the
/// whole repetition is P_cap − margin − (unused_W + unused_W_per_Hz f + unused_per_leakage L), L its leakage at the reference voltage,
/// slopes of the plane.
struct ClassCourse {
  dvfs::ClockCourse nominal;
  double unused_W = 0.0;
  std::shared_ptr<const ChipPlane> plane;
  std::vector<double> own_sum;  ///< nominal.ratio_sum by its own timeline; empty: that is the plane's
  double pacing_slow = 0.0;     ///< place of the chip that smoothing and ballast follow, see HeldRepetition
};

/// Modes of the package that courses are played with: fans at the nominal die's speed.
const thermal::PackageModes& course_modes(const NodeType& type);

/// A timeline that repeats, under the limits in force.
struct LimitedWork {
  const workload::Timeline& timeline;
  double reference_Hz, pace_Hz;  ///< clock at which its work is counted, and at which it has its durations
  double cap_W, max_Hz;
  std::span<const std::vector<dvfs::PowerBounds>> bounds = {};  ///< [class][segment]; empty: none
  bool single_chips = false;  ///< clocks by time of chips that are slow and leak are asked for, too
};

/// Courses of the classes of a timeline.
/// @param lead [class] of the rank that all wait for in the same timeline, whose mean clock is pace_Hz; empty: of such ranks themselves
/// @param base [class] whose planes are taken, of the same work at another pace; empty: planes of their own
std::vector<ClassCourse> class_courses(const LimitedWork& work, const NodeType& type,
                                       std::span<const ClassCourse> lead = {}, std::span<const ClassCourse> base = {});

/// [class] the slow chip of a ChipPlane, which waits for none. @param once where its pace needs to be known only about: one repetition
std::vector<dvfs::ClockCourse> slow_courses(const LimitedWork& work, const NodeType& type, bool once = false);
/// Mean clock of the slowest of them, Hz: about the pace of a fleet in which no rank waits for others.
double slow_pace_Hz(std::span<const dvfs::ClockCourse> slow);

/// How far a chip is from the nominal one, in units of the slow and of the leaky chip of a ChipPlane.
struct ChipPlace {
  double slow = 0.0, leaky = 0.0;
};
ChipPlace place_of(const power::Chip& chip, const NodeType& type, double die_K);
/// The chip at a place, its die at nominal_die_K.
power::Chip chip_at(const ChipPlace& place);

/// A mean of courses of neighbouring paces with one plane, of a chip on it.
struct CourseMix {
  static constexpr std::size_t most = 5;
  std::array<const ClassCourse*, most> of{};
  std::array<double, most> weight{};
  std::size_t n = 0;
  ChipPlace chip = {};

  CourseMix() = default;
  explicit CourseMix(const ClassCourse& one) { add(one, 1.0); }
  void add(const ClassCourse& course, double of_it);  ///< weights may be negative; their sum is 1
  template <class Value>
  double mean(Value&& value) const {
    double out = 0.0;
    for (std::size_t i = 0; i < n; ++i) out += weight[i] * value(*of[i]);
    return out;
  }
  KindCourse kind(std::size_t k) const;
  dvfs::PhaseMix all() const;
  double unused_W() const {
    return mean([](const ClassCourse& c) { return c.unused_W; });
  }
  double unused_per_leakage() const { return n == 0 ? 0.0 : of[0]->plane->unused_per_leakage; }
  double unused_W_per_Hz() const { return n == 0 ? 0.0 : of[0]->plane->unused_W_per_Hz; }
};

/// Where the chip of a rank is whose mean clock is gate_Hz because it needs more voltage.
ChipPlace leading(const ClassCourse& course, double gate_Hz);

/// Clock ÷ mean clock in the segments of a timeline of the same work at another pace.
class CourseRatios {
 public:
  /// @param pace of the timeline, relative  @param beside those of another course of the class: places that both have are found once
  /// @param second_begin of two iterations that are one repetition of the timeline; 0: it is one, as in the course
  CourseRatios(const CourseMix& course, const workload::Timeline& timeline, std::size_t cls, double pace,
               const CourseRatios* beside = nullptr, Tick second_begin = 0);
  /// Mean over a segment, or between two shares of it.
  double at(std::size_t segment) const { return (*spans_)[segment].mean(ratio_sum_); }
  double at(std::size_t segment, double from_frac, double to_frac) const {
    return (*spans_)[segment].part(from_frac, to_frac).mean(ratio_sum_);
  }

 private:
  SharedPlaces places_;
  std::shared_ptr<const std::vector<dvfs::RatioSpan>> spans_;  ///< [segment]
  std::vector<double> ratio_sum_;                              ///< of the mean, as dvfs::ClockCourse has it
};

}  // namespace TIDEWATT_NAMESPACE::fleet
