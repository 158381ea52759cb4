#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course_cache.hpp"
#include "held_courses.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Courses of a job's pipeline stages under the limits in force: of the slowest ranks (lead), and of the ranks that wait for them.
class StageCourses {
 public:
  /// @param evaluates whether its work is evaluation, forward passes only  @param hold what keeps the power of its GPUs: the limiter
  /// sees the kept power  @param single_chips whether clocks by time of single chips are asked for
  explicit StageCourses(bool evaluates = false, const PowerHold& hold = {}, bool single_chips = false);
  /// Courses are computed for caps 1 % apart, counted from the usual cap; a cap that changes in a run takes the nearest. The limit itself
  /// is that of the exact cap. @returns whether the courses changed
  bool set_limits(const workload::IterationModel& model, const NodeType& type, double cap_W, double max_Hz);
  /// The cap of the courses. @pre limits are set
  double cap_W() const { return latest_.front().cap_W; }
  /// The highest clock in the courses. @pre limits are set
  double max_Hz() const { return latest_.front().max_Hz; }
  /// [stage]; empty: no limits set
  std::span<const ClassCourse> lead() const {
    return latest_.empty() || !latest_.front().lead ? std::span<const ClassCourse>() : std::span(*latest_.front().lead);
  }
  /// Adds the courses of every stage in a group that moves at `gate_Hz` while the slowest group moves at `slowest_Hz`. They are
  /// interpolated between slowest paces 4 % apart, one of them a slow chip's; what a group that is ahead and waits for the gradients has
  /// beyond the slowest one is taken at that pace, between leads in multiples of 3 %. Under smoothing or ballast it is taken at its own
  /// pace, between leads in multiples of 0.5 %.
  /// @param gate_Hz 0: none waits
  void add(const workload::IterationModel& model, const NodeType& type, double gate_Hz, double slowest_Hz,
           std::vector<CourseMix>& course, std::vector<CourseMix>& lead);

 private:
  using Steps = std::pair<std::int64_t, std::int64_t>;  ///< of the slowest pace, of what a group is ahead
  struct Paces {
    double pace_Hz;          ///< of the group
    std::int64_t ahead = 0;  ///< steps from the slowest one's
  };
  workload::Timeline timeline_at(const workload::IterationModel& model, const Paces& at) const;
  /// The same under smoothing and ballast. @param slow [stage] courses of slow chips, for the clocks by kind; empty: the lead's
  HeldRepetition held_at(const workload::IterationModel& model, const NodeType& type,
                         const workload::Timeline& timeline, const Paces& at,
                         std::span<const dvfs::ClockCourse> slow) const;
  /// The stages of a group so, their chips at the limit.
  struct HeldStages {
    HeldWork work;
    std::vector<double> slow;  ///< [stage] places of the chips
  };
  HeldStages at_limit(const workload::IterationModel& model, const NodeType& type, const workload::Timeline& timeline,
                      const Paces& at, std::span<const dvfs::ClockCourse> slow) const;
  /// Sets the pace of slow chips. @returns what they make of it
  std::vector<dvfs::ClockCourse> find_lead(const workload::IterationModel& model, const NodeType& type);
  std::vector<dvfs::ClockCourse> find_held_lead(const workload::IterationModel& model, const NodeType& type);
  double held_slow_pace_Hz(const workload::IterationModel& model, const NodeType& type,
                           std::span<const dvfs::ClockCourse> slow) const;
  /// A group at a pace, and everything that decides its courses.
  struct Paced {
    Paces at;
    workload::Timeline timeline;
    std::string key;
    std::optional<HeldStages> held;  ///< found once asked for
  };
  Paced paced(const workload::IterationModel& model, const NodeType& type, const Paces& at) const;
  SharedCourses at_pace(const workload::IterationModel& model, const NodeType& type, Paced& of,
                        const SharedCourses& lead = nullptr, const SharedCourses& base = nullptr,
                        std::span<const dvfs::ClockCourse> slow = {}) const;
  /// Of a group at a pace, its slowest ranks and those that wait for them; [stage].
  struct Group {
    SharedCourses lead, waits;
  };
  /// All under one cap and one highest clock.
  struct Limits {
    double cap_W, max_Hz, lead_Hz = 0.0;
    SharedCourses lead{}, waits{};  ///< of a slow chip's pace; their planes are those of all
    std::map<Steps, Group> group{};
  };
  const Group& group(const workload::IterationModel& model, const NodeType& type, Steps at);
  bool evaluates_, single_chips_;
  PowerHold hold_;
  std::list<Limits> latest_;  ///< those in force, and before them the ones that a controller may return to
};

}  // namespace TIDEWATT_NAMESPACE::fleet
