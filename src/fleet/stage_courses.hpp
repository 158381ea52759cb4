#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "class_course.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Courses of a job's pipeline stages under the limits in force, of ranks that all wait for and of those that wait for them.
class StageCourses {
 public:
  explicit StageCourses(bool evaluates = false) : evaluates_(evaluates) {}
  /// Whole watts of the cap: what is between them is in the limit itself. @returns whether the limits are others than before
  bool set_limits(const workload::IterationModel& model, const NodeType& type, double cap_W, double max_Hz);
  const std::vector<ClassCourse>& lead() const { return lead_; }  ///< [stage]; empty: no limits set
  /// Adds those of every stage in a group that moves at `gate_Hz`, between the courses of paces 2 % apart.
  /// @param gate_Hz 0: none waits
  void add(const workload::IterationModel& model, const NodeType& type, double gate_Hz, std::vector<CourseMix>& course,
           std::vector<CourseMix>& lead);

 private:
  std::vector<ClassCourse> at_pace(const workload::IterationModel& model, const NodeType& type, double pace_Hz,
                                   std::span<const ClassCourse> lead) const;
  bool evaluates_;
  double cap_W_ = 0.0, max_Hz_ = 0.0;
  std::vector<ClassCourse> lead_;
  std::map<std::int64_t, std::vector<ClassCourse>> waiting_;  ///< [step of the pace][stage]
};

}  // namespace TIDEWATT_NAMESPACE::fleet
