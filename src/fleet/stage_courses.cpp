#include "stage_courses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "step_lengths.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr double pace_step = 0.04, ahead_step = 0.02;  ///< of the logarithm of the pace
constexpr double cap_step = 0.01;                      ///< of the logarithm of the cap
constexpr std::size_t most_limits = 16;

/// Between two steps: the lower one, and the share of the one above.
struct Between {
  std::int64_t below;
  double share;
};
Between between(double x) { return {static_cast<std::int64_t>(std::floor(x)), x - std::floor(x)}; }

}  // namespace

workload::Timeline StageCourses::timeline_at(const workload::IterationModel& model, double pace_Hz,
                                             std::int64_t ahead) const {
  std::vector<double> paces{pace_Hz / model.reference_clock_Hz()};
  if (ahead > 0) paces.insert(paces.begin(), paces[0] * std::exp(-ahead_step * static_cast<double>(ahead)));
  auto timeline = evaluates_ ? model.evaluation(paces, 1) : model.iteration(paces);
  timeline.classes.erase(timeline.classes.begin(), timeline.classes.end() - model.n_stage());
  split_after_waits(timeline);
  return timeline;
}

SharedCourses StageCourses::at_pace(const workload::IterationModel& model, const NodeType& type, double pace_Hz,
                                    std::int64_t ahead, const SharedCourses& lead, const SharedCourses& base) const {
  const double reference_Hz = model.reference_clock_Hz();
  const auto timeline = timeline_at(model, pace_Hz, ahead);
  // Ranks that wait do so for those of the same timeline. Planes are those of a slow chip's pace.
  const Limits& now = latest_.front();
  const double limits[] = {reference_Hz, pace_Hz, now.cap_W, now.max_Hz, lead ? 1.0 : 0.0, base ? now.lead_Hz : 0.0};
  const auto all = [](const SharedCourses& of) { return of ? std::span(*of) : std::span<const ClassCourse>(); };
  return shared_courses(course_key(timeline, type, limits), [&] {
    return class_courses(timeline, type, reference_Hz, pace_Hz, now.cap_W, now.max_Hz, all(lead), all(base));
  });
}

bool StageCourses::set_limits(const workload::IterationModel& model, const NodeType& type, double cap_W,
                              double max_Hz) {
  if (const double usual_W = type.usual.cap_W; usual_W > 0.0 && cap_W > 0.0)
    cap_W = usual_W * math::exp(cap_step * std::round(math::log(cap_W / usual_W) / cap_step));
  const auto under = [&](const Limits& l) { return l.cap_W == cap_W && l.max_Hz == max_Hz; };
  const auto known = std::find_if(latest_.begin(), latest_.end(), under);
  if (known != latest_.end()) {
    const bool others = known != latest_.begin();
    latest_.splice(latest_.begin(), latest_, known);
    return others;
  }
  latest_.push_front({cap_W, max_Hz});
  if (latest_.size() > most_limits) latest_.pop_back();
  // Waits are as long as the pace makes them, and the pace, that of slow chips, follows from the courses.
  Limits& now = latest_.front();
  const double fastest_Hz = std::min(model.reference_clock_Hz(), max_Hz);
  now.lead_Hz =
      slow_pace_Hz(timeline_at(model, fastest_Hz, 0), type, model.reference_clock_Hz(), fastest_Hz, cap_W, max_Hz);
  now.lead = at_pace(model, type, now.lead_Hz, 0);
  return true;
}

const StageCourses::Group& StageCourses::group(const workload::IterationModel& model, const NodeType& type, Steps at) {
  Limits& now = latest_.front();
  auto& known = now.group[at];
  if (!known.lead) {
    const double pace_Hz = model.reference_clock_Hz() * std::exp(pace_step * static_cast<double>(at.first) +
                                                                 ahead_step * static_cast<double>(at.second));
    if (!now.waits) now.waits = at_pace(model, type, now.lead_Hz, 0, now.lead);
    known.lead = at_pace(model, type, pace_Hz, at.second, nullptr, now.lead);
    known.waits = at_pace(model, type, pace_Hz, at.second, known.lead, now.waits);
  }
  return known;
}

void StageCourses::add(const workload::IterationModel& model, const NodeType& type, double gate_Hz, double slowest_Hz,
                       std::vector<CourseMix>& course, std::vector<CourseMix>& lead) {
  if (latest_.empty()) return;
  if (!(gate_Hz > 0.0)) {
    for (auto* to : {&course, &lead})
      for (const auto& c : this->lead()) to->emplace_back(c);
    return;
  }
  const auto pace = between(std::log(slowest_Hz / model.reference_clock_Hz()) / pace_step);
  const auto ahead = between(std::max(0.0, std::log(gate_Hz / slowest_Hz)) / ahead_step);
  const auto n_stage = static_cast<std::size_t>(model.n_stage());
  std::vector<CourseMix> waits(n_stage), leads(n_stage);
  for (const std::int64_t j : {0, 1})
    for (const std::int64_t i : {0, 1}) {
      const double share = (i == 0 ? 1.0 - pace.share : pace.share) * (j == 0 ? 1.0 - ahead.share : ahead.share);
      if (!(share > 0.0)) continue;
      const auto& of = group(model, type, {pace.below + i, ahead.below + j});
      for (std::size_t s = 0; s < n_stage; ++s) waits[s].add((*of.waits)[s], share), leads[s].add((*of.lead)[s], share);
    }
  for (auto& l : leads) l.chip = leading(*l.of[0], gate_Hz);
  course.insert(course.end(), waits.begin(), waits.end());
  lead.insert(lead.end(), leads.begin(), leads.end());
}

}  // namespace TIDEWATT_NAMESPACE::fleet
