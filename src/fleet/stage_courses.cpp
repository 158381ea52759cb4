#include "stage_courses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "step_lengths.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

constexpr double pace_step = 0.04;  ///< of the logarithm of the pace
/// Steps from which on a lead is computed at the pace of the slowest group: halls of a job with other limits lead by so much.
constexpr std::int64_t far_ahead = 3;
/// Of that by which a group is ahead. Ramps of smoothing and ballast decide in stairs what a rank burns: that is not linear.
double ahead_step(const PowerHold& hold) { return hold.any() ? 0.005 : 0.03; }
constexpr double cap_step = 0.01;  ///< of the logarithm of the cap
constexpr std::size_t most_limits = 16;

/// Between two steps: the lower one, and the share of the one above.
struct Between {
  std::int64_t below;
  double share;
};
Between between(double x) { return {static_cast<std::int64_t>(std::floor(x)), x - std::floor(x)}; }

/// Everything of it that decides a timeline.
void add_values(const PowerHold& hold, std::vector<double>& to) {
  if (const auto& p = hold.smoothing)
    to.insert(to.end(), {1.0, p->floor_ratio, p->ramp_up_W_per_s, p->ramp_down_W_per_s, p->hysteresis_s});
  if (const auto& p = hold.ballast)
    to.insert(to.end(), {2.0, p->level_ratio, p->period_s, p->launch_s, p->granule_s, p->share_frac,
                         p->monitor_cost_frac, p->hold_s, p->ramp_down_W_per_s});
}

}  // namespace

StageCourses::StageCourses(bool evaluates, const PowerHold& hold, bool single_chips)
    : evaluates_(evaluates), single_chips_(single_chips), hold_(hold) {}

workload::Timeline StageCourses::timeline_at(const workload::IterationModel& model, const Paces& at) const {
  std::vector<double> paces{at.pace_Hz / model.reference_clock_Hz()};
  if (at.ahead > 0)
    paces.insert(paces.begin(), paces[0] * std::exp(-ahead_step(hold_) * static_cast<double>(at.ahead)));
  auto timeline = evaluates_ ? model.evaluation(paces, 1) : model.iteration(paces);
  if (hold_.any()) return timeline;  // of both groups, which meet
  timeline.classes.erase(timeline.classes.begin(), timeline.classes.end() - model.n_stage());
  split_after_waits(timeline);
  return timeline;
}

HeldRepetition StageCourses::held_at(const workload::IterationModel& model, const NodeType& type,
                                     const workload::Timeline& timeline, const Paces& at,
                                     std::span<const dvfs::ClockCourse> slow) const {
  const auto n_stage = static_cast<std::size_t>(model.n_stage());
  std::vector<double> pace_Hz;
  std::vector<std::vector<dvfs::KindClock>> kind;
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const bool behind = c + n_stage < timeline.classes.size();
    pace_Hz.push_back(behind ? at.pace_Hz * std::exp(-ahead_step(hold_) * static_cast<double>(at.ahead)) : at.pace_Hz);
    if (!slow.empty())
      kind.push_back(slow[c % n_stage].kind);
    else if (const auto lead = this->lead(); !lead.empty())
      kind.push_back(pacing_chip(CourseMix(lead[c % n_stage]), timeline.kinds.size(), pace_Hz[c]).kind);
  }
  // Nothing is burned above what the limiter lets through; what is burned below it counts against the limit (at_limit).
  const double limit_W = dvfs::limit_W(latest_.front().cap_W, type.governor);
  return {timeline, hold_, type, limit_W, model.reference_clock_Hz(), std::move(pace_Hz), std::move(kind)};
}

StageCourses::HeldStages StageCourses::at_limit(const workload::IterationModel& model, const NodeType& type,
                                                const workload::Timeline& timeline, const Paces& at,
                                                std::span<const dvfs::ClockCourse> slow) const {
  constexpr double slowest = 2.5;  // leakage makes chips slower, too
  const Limits& now = latest_.front();
  const std::size_t n_class = timeline.classes.size(), n_stage = static_cast<std::size_t>(model.n_stage());
  const bool free = at.pace_Hz >= now.max_Hz - 1.01 * power::GpuModel::bin_Hz;
  std::vector<double> limit_W(n_class, dvfs::limit_W(now.cap_W, type.governor)), most(n_class, free ? 0.0 : slowest),
      place(n_class, 1.0);
  const auto lead = this->lead();
  for (std::size_t c = 0; c < n_class; ++c) {
    if (!slow.empty()) {
      limit_W[c] = std::min(limit_W[c], slow[c % n_stage].mean_W);
    } else if (!lead.empty()) {
      const auto& of = lead[c % n_stage];
      limit_W[c] = std::min(limit_W[c], of.nominal.mean_W);
      if (!of.plane->limited) most[c] = 0.0;
      place[c] = leading(of, at.pace_Hz).slow;
    }
  }
  auto repetition = held_at(model, type, timeline, at, slow);
  repetition.play_at_limit(limit_W, most, place);
  auto work = repetition.work();
  // Those of the group itself come last.
  const auto behind = static_cast<std::ptrdiff_t>(n_class - n_stage);
  work.timeline.classes.erase(work.timeline.classes.begin(), work.timeline.classes.begin() + behind);
  work.bounds.erase(work.bounds.begin(), work.bounds.begin() + behind);
  place.erase(place.begin(), place.begin() + behind);
  return {std::move(work), std::move(place)};
}

StageCourses::Paced StageCourses::paced(const workload::IterationModel& model, const NodeType& type,
                                        const Paces& at) const {
  const Limits& now = latest_.front();
  std::vector<double> limits{model.reference_clock_Hz(), at.pace_Hz, now.lead_Hz, now.cap_W, now.max_Hz};
  if (hold_.any()) add_values(hold_, limits);
  auto timeline = timeline_at(model, at);
  auto key = course_key(timeline, type, limits);
  return {at, std::move(timeline), std::move(key), {}};
}

SharedCourses StageCourses::at_pace(const workload::IterationModel& model, const NodeType& type, Paced& of,
                                    const SharedCourses& lead, const SharedCourses& base,
                                    std::span<const dvfs::ClockCourse> slow) const {
  const Limits& now = latest_.front();
  const auto all = [](const SharedCourses& c) { return c ? std::span(*c) : std::span<const ClassCourse>(); };
  const auto courses_of = [&](const workload::Timeline& timeline,
                              std::span<const std::vector<dvfs::PowerBounds>> bounds) {
    const double reference_Hz = model.reference_clock_Hz();
    return class_courses({timeline, reference_Hz, of.at.pace_Hz, now.cap_W, now.max_Hz, bounds, single_chips_}, type,
                         all(lead), all(base));
  };
  // Ranks that wait do so for those of the same timeline. Planes are those of a slow chip's pace.
  return shared_courses(of.key + (lead ? "w" : "l") + (base ? "b" : "") + (single_chips_ ? "s" : ""), [&] {
    if (!hold_.any()) return courses_of(of.timeline, {});
    if (!of.held) of.held = at_limit(model, type, of.timeline, of.at, slow);
    auto out = courses_of(of.held->work.timeline, of.held->work.bounds);
    for (std::size_t s = 0; s < out.size(); ++s) out[s].pacing_slow = of.held->slow[s];
    return out;
  });
}

std::vector<dvfs::ClockCourse> StageCourses::find_lead(const workload::IterationModel& model, const NodeType& type) {
  if (hold_.any()) return find_held_lead(model, type);
  Limits& now = latest_.front();
  const double fastest_Hz = std::min(model.reference_clock_Hz(), now.max_Hz);
  const auto timeline = timeline_at(model, {fastest_Hz});
  // Courses are between paces, of which this is one.
  auto slow = slow_courses({timeline, model.reference_clock_Hz(), fastest_Hz, now.cap_W, now.max_Hz}, type, true);
  now.lead_Hz = slow_pace_Hz(slow);
  return slow;
}

/// The pace at which a slow chip draws, with what it burns, what the limiter lets through in the most demanding stage.
double StageCourses::held_slow_pace_Hz(const workload::IterationModel& model, const NodeType& type,
                                       std::span<const dvfs::ClockCourse> slow) const {
  const Limits& now = latest_.front();
  const double limit_W = dvfs::limit_W(now.cap_W, type.governor);
  const auto over_W = [&](double pace_Hz) {
    const auto timeline = timeline_at(model, {pace_Hz});
    const auto mean_W =
        held_at(model, type, timeline, {pace_Hz}, slow).play(std::vector<double>(timeline.classes.size(), 1.0));
    double out_W = -limit_W;
    for (std::size_t c = 0; c < mean_W.size(); ++c)
      out_W = std::max(out_W, mean_W[c] - (slow.empty() ? limit_W : std::min(limit_W, slow[c].mean_W)));
    return out_W;
  };
  const double fastest_Hz = std::min(model.reference_clock_Hz(), now.max_Hz);
  double before_Hz = 0.9 * fastest_Hz, before_W = over_W(before_Hz), pace_Hz = fastest_Hz;
  constexpr int usual = 4, most = 12;
  constexpr double near =
      0.001;  // of the pace: after the usual number of secants, they go on while they move it by more
  for (int i = 0; i < most; ++i) {
    const double W = over_W(pace_Hz), per_Hz = (W - before_W) / (pace_Hz - before_Hz);
    before_Hz = pace_Hz, before_W = W;
    if (!(per_Hz > 0.0)) break;
    pace_Hz = std::clamp(pace_Hz - W / per_Hz, type.gpu.clock_min_Hz(), now.max_Hz);
    if (std::abs(pace_Hz - before_Hz) < (i + 1 < usual ? 1e6 : near * pace_Hz)) break;
  }
  return pace_Hz;
}

std::vector<dvfs::ClockCourse> StageCourses::find_held_lead(const workload::IterationModel& model,
                                                            const NodeType& type) {
  constexpr double near_W = 1.0;
  Limits& now = latest_.front();
  std::vector<dvfs::ClockCourse> slow;
  // What is burned follows from what the limiter lets through, and that (less than its limit after long waits) from the course.
  for (int i = 0; i < 4; ++i) {
    const auto before = std::move(slow);
    now.lead_Hz = held_slow_pace_Hz(model, type, before);
    const auto timeline = timeline_at(model, {now.lead_Hz});
    const auto work = at_limit(model, type, timeline, {now.lead_Hz}, before).work;
    slow = slow_courses({work.timeline, model.reference_clock_Hz(), now.lead_Hz, now.cap_W, now.max_Hz, work.bounds},
                        type);
    double apart_W = 0.0;
    for (std::size_t s = 0; s < slow.size(); ++s) {
      const double limit_W = dvfs::limit_W(now.cap_W, type.governor);
      apart_W = std::max(apart_W, std::abs(slow[s].mean_W - (before.empty() ? limit_W : before[s].mean_W)));
    }
    if (apart_W < near_W) break;
  }
  return slow;
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
  const auto slow = find_lead(model, type);
  Limits& now = latest_.front();
  auto of = paced(model, type, {now.lead_Hz});
  now.lead = at_pace(model, type, of, nullptr, nullptr, slow);
  return true;
}

const StageCourses::Group& StageCourses::group(const workload::IterationModel& model, const NodeType& type, Steps at) {
  Limits& now = latest_.front();
  auto& known = now.group[at];
  if (!now.waits) {
    auto of = paced(model, type, {now.lead_Hz});
    now.waits = at_pace(model, type, of, now.lead);
  }
  if (at == Steps{0, 0}) known = {now.lead, now.waits};
  if (!known.lead) {
    const double pace_Hz = now.lead_Hz * std::exp(pace_step * static_cast<double>(at.first) +
                                                  ahead_step(hold_) * static_cast<double>(at.second));
    auto of = paced(model, type, {pace_Hz, at.second});
    known.lead = at_pace(model, type, of, nullptr, now.lead);
    known.waits = at_pace(model, type, of, known.lead, now.waits);
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
  const auto pace = between(std::log(slowest_Hz / latest_.front().lead_Hz) / pace_step);
  const auto ahead = between(std::max(0.0, std::log(gate_Hz / slowest_Hz)) / ahead_step(hold_));
  const auto n_stage = static_cast<std::size_t>(model.n_stage());
  std::vector<CourseMix> waits(n_stage), leads(n_stage);
  const auto add_share = [&](const Steps& at, double share) {
    if (share == 0.0) return;
    const auto& of = group(model, type, at);
    for (std::size_t s = 0; s < n_stage; ++s) waits[s].add((*of.waits)[s], share), leads[s].add((*of.lead)[s], share);
  };
  const auto add_ahead = [&](std::int64_t pace_steps, double share) {
    add_share({pace_steps, ahead.below}, share * (1.0 - ahead.share));
    add_share({pace_steps, ahead.below + 1}, share * ahead.share);
  };
  // What a lead changes is the same at every pace, but not where ramps decide what is burned.
  const bool is_ahead = ahead.below > 0 || ahead.share > 0.0,
             at_its_pace = is_ahead && (hold_.any() || ahead.below >= far_ahead);
  for (const auto& [steps, share] : {std::pair(pace.below, 1.0 - pace.share), std::pair(pace.below + 1, pace.share)})
    at_its_pace ? add_ahead(steps, share) : add_share({steps, 0}, share);
  if (is_ahead && !at_its_pace) {
    add_ahead(0, 1.0);
    add_share({0, 0}, -1.0);
  }
  for (auto& l : leads) l.chip = leading(*l.of[0], gate_Hz);
  course.insert(course.end(), waits.begin(), waits.end());
  lead.insert(lead.end(), leads.begin(), leads.end());
}

}  // namespace TIDEWATT_NAMESPACE::fleet
