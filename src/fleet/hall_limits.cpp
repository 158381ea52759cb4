#include "hall_limits.hpp"

#include <algorithm>
#include <utility>

namespace TIDEWATT_NAMESPACE::fleet {

HallLimits limits_of(std::span<const Controls> of_hall, std::span<const std::size_t> halls,
                     std::span<const std::uint32_t> node_hall) {
  const auto key = [](const Controls& c) { return std::pair(c.cap_W, c.lock_Hz); };
  HallLimits out;
  for (const std::size_t h : halls) {
    const Controls& c = of_hall[h];
    const auto at = std::find_if(out.of.begin(), out.of.end(), [&](const Controls& o) { return key(o) >= key(c); });
    if (at != out.of.end() && key(*at) == key(c)) continue;
    out.hall.insert(out.hall.begin() + (at - out.of.begin()), h);
    out.of.insert(at, c);
  }
  if (out.n() == 1) return out;
  for (const auto h : node_hall) {
    const auto at =
        std::find_if(out.of.begin(), out.of.end(), [&](const Controls& o) { return key(o) == key(of_hall[h]); });
    out.node.push_back(static_cast<std::size_t>(at - out.of.begin()));
  }
  return out;
}

void HallLimits::repeat_classes(std::size_t n_stage, workload::Timeline& timeline) const {
  if (n() < 2) return;
  const auto of_groups = std::move(timeline.classes);
  timeline.classes.clear();
  for (std::size_t first = 0; first < of_groups.size(); first += n_stage)
    for (std::size_t l = 0; l < n(); ++l)
      for (std::size_t s = 0; s < n_stage; ++s) timeline.classes.push_back(of_groups[first + s]);
}

StageWindows::StageWindows(const workload::IterationModel& model, const workload::Timeline& at_reference,
                           const NodeType& type, StageCourses courses)
    : period_s_(seconds(at_reference.period)), none_(std::move(courses)) {
  FleetTask task;
  set_kinds(task, at_reference, type, model.reference_clock_Hz());
  for (std::size_t s = 0; s < at_reference.classes.size(); ++s) {
    mix_.push_back(worst_window(at_reference, s, task.kind_reference_W, type.governor.window_s));
    double J = 0.0;
    for (const auto& segment : at_reference.classes[s])
      J += task.kind_reference_W[segment.kind] * seconds(segment.duration);
    mean_W_.push_back(std::min(J / period_s_, dvfs::limit_W(type.usual.cap_W, type.governor)));
  }
}

void StageWindows::set_limits(const workload::IterationModel& model, const Fleet& fleet, const HallLimits& limits,
                              double clock_frac) {
  if (!fleet.types[limits.hall.front()].own_clocks) return;
  if (courses_.size() < limits.n()) courses_.resize(limits.n(), none_);
  bool changed = false;
  for (std::size_t l = 0; l < limits.n(); ++l)
    changed |= courses_[l].set_limits(model, fleet.types[limits.hall[l]], limits.of[l].cap_W,
                                      clock_frac * limits.of[l].lock_Hz);
  if (!changed) return;
  for (std::size_t s = 0; s < mix_.size(); ++s) {
    const auto& lead = courses_.front().lead()[s].nominal;
    mix_[s] = lead.all, mean_W_[s] = lead.mean_W;
  }
  rated_Hz.clear();
}

std::vector<double> StageWindows::set_alone(const HallLimits& limits, FleetTask& task) const {
  task.class_window.clear(), task.class_course.clear(), task.class_kinds.clear();
  std::vector<double> mean_W;
  for (std::size_t l = 0; l < limits.n(); ++l)
    for (std::size_t s = 0; s < mix_.size(); ++s) {
      mean_W.push_back(mean_W_[s]);
      task.class_window.push_back(courses_.empty() ? mix_[s] : courses_[l].lead()[s].nominal.all);
      if (!courses_.empty()) task.class_course.emplace_back(courses_[l].lead()[s]);
    }
  return mean_W;
}

void StageWindows::add(const workload::IterationModel& model, const Fleet& fleet, const HallLimits& limits,
                       double gate_Hz, double slowest_Hz, FleetTask& task) {
  if (courses_.empty()) return;
  std::vector<CourseMix> lead;
  for (std::size_t l = 0; l < limits.n(); ++l) {
    std::vector<CourseMix> own_lead;
    courses_[l].add(model, fleet.types[limits.hall[l]], gate_Hz, slowest_Hz, task.class_course, own_lead);
    if (l == 0 || !(gate_Hz > 0.0)) lead = std::move(own_lead);
    task.class_lead.insert(task.class_lead.end(), lead.begin(), lead.end());
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
