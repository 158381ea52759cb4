#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "course_cache.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Courses of a job's pipeline stages under the limits in force: of the slowest ranks (lead), and of the ranks that wait for them.
class StageCourses {
 public:
  /// @param evaluates whether its work is evaluation, forward passes only
  explicit StageCourses(bool evaluates = false) : evaluates_(evaluates) {}
  /// Courses are computed for caps 1 % apart, counted from the usual cap; a cap that changes in a run takes the nearest. The limit itself
  /// is that of the exact cap. @returns whether the courses changed
  bool set_limits(const workload::IterationModel& model, const NodeType& type, double cap_W, double max_Hz);
  /// [stage]; empty: no limits set
  std::span<const ClassCourse> lead() const {
    return latest_.empty() ? std::span<const ClassCourse>() : std::span(*latest_.front().lead);
  }
  /// Adds the courses of every stage in a group that moves at `gate_Hz` while the slowest group moves at `slowest_Hz`. They are
  /// interpolated between slowest paces 4 % apart and leads of a group in multiples of 2 %; a group that is ahead waits for the gradients.
  /// @param gate_Hz 0: none waits
  void add(const workload::IterationModel& model, const NodeType& type, double gate_Hz, double slowest_Hz,
           std::vector<CourseMix>& course, std::vector<CourseMix>& lead);

 private:
  using Steps = std::pair<std::int64_t, std::int64_t>;  ///< of the slowest pace, of what a group is ahead
  workload::Timeline timeline_at(const workload::IterationModel& model, double pace_Hz, std::int64_t ahead) const;
  SharedCourses at_pace(const workload::IterationModel& model, const NodeType& type, double pace_Hz, std::int64_t ahead,
                        const SharedCourses& lead = nullptr, const SharedCourses& base = nullptr) const;
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
  bool evaluates_;
  std::list<Limits> latest_;  ///< those in force, and before them the ones that a controller may return to
};

}  // namespace TIDEWATT_NAMESPACE::fleet
