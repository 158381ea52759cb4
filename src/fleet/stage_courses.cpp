#include "stage_courses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace TIDEWATT_NAMESPACE::fleet {

std::vector<ClassCourse> StageCourses::at_pace(const workload::IterationModel& model, const NodeType& type,
                                               double pace_Hz, std::span<const ClassCourse> lead) const {
  const double reference_Hz = model.reference_clock_Hz(), pace[] = {pace_Hz / reference_Hz};
  return class_courses(evaluates_ ? model.evaluation(pace, 1) : model.iteration(pace), type, reference_Hz, pace_Hz,
                       cap_W_, max_Hz_, lead);
}

bool StageCourses::set_limits(const workload::IterationModel& model, const NodeType& type, double cap_W,
                              double max_Hz) {
  cap_W = std::round(cap_W);
  if (cap_W == cap_W_ && max_Hz == max_Hz_) return false;
  cap_W_ = cap_W, max_Hz_ = max_Hz;
  waiting_.clear();
  // Waits are as long as the pace makes them, and the pace follows from the courses.
  double pace_Hz = std::min(model.reference_clock_Hz(), max_Hz);
  for (int round = 0; round < 2; ++round) {
    lead_ = at_pace(model, type, pace_Hz, {});
    pace_Hz = std::numeric_limits<double>::infinity();
    for (const auto& c : lead_) pace_Hz = std::min(pace_Hz, c.nominal.clock_Hz);
  }
  return true;
}

void StageCourses::add(const workload::IterationModel& model, const NodeType& type, double gate_Hz,
                       std::vector<CourseMix>& course, std::vector<CourseMix>& lead) {
  constexpr double step = 0.02;
  if (lead_.empty()) return;
  for (const auto& c : lead_) lead.push_back({&c, &c, 0.0});
  if (!(gate_Hz > 0.0)) {
    course.insert(course.end(), lead.end() - static_cast<std::ptrdiff_t>(lead_.size()), lead.end());
    return;
  }
  const double x = std::log(gate_Hz / model.reference_clock_Hz()) / step;
  const auto below = static_cast<std::int64_t>(std::floor(x));
  const auto at = [&](std::int64_t i) -> const std::vector<ClassCourse>& {
    auto& known = waiting_[i];
    if (known.empty())
      known = at_pace(model, type, model.reference_clock_Hz() * std::exp(step * static_cast<double>(i)), lead_);
    return known;
  };
  const auto &slower = at(below), &faster = at(below + 1);
  for (std::size_t s = 0; s < slower.size(); ++s)
    course.push_back({&slower[s], &faster[s], x - static_cast<double>(below)});
}

}  // namespace TIDEWATT_NAMESPACE::fleet
