#include "agenda.hpp"

#include <algorithm>

#include "job_run.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;

/// After an edge of the plants or of the site's power: 1 s, then half the time since, in whole seconds. @param edge −1: none yet
Tick grown_since(Tick edge, Tick now) {
  return edge < 0 ? workload::never : now + std::max(ns_per_s, (now - edge) / (2 * ns_per_s) * ns_per_s);
}

/// Base steps of the next macro step. @param miss_K by which the supply moved otherwise than predicted in the last one
std::int64_t grown(std::int64_t n_base_step, double miss_K) {
  return miss_K < 0.05 ? 2 * n_base_step : miss_K < 0.1 ? n_base_step : 1;
}

}  // namespace

Agenda::Agenda(const Scenario& scenario, const HallControls& controls, const HallLoop& halls)
    : end_(to_tick(scenario.run.duration_s)),
      base_(to_tick(scenario.run.macro_step_s)),
      most_base_steps_(static_cast<std::int64_t>(scenario.run.macro_step_max_s / scenario.run.macro_step_s)),
      controls_(controls),
      halls_(halls) {}

Tick Agenda::plan_macro_step(Tick now, std::span<const JobRun> occupants) {
  n_base_step_ = controls_.order_acts(now)
                     ? 1
                     : std::clamp<std::int64_t>(grown(n_base_step_, halls_.miss_K()), 1, most_base_steps_);
  // Never across a full hour of the run, so that hourly figures need no guess at how a step's energy was spread.
  macro_edge_ =
      std::min({next_cut(), (now / hour + 1) * hour, halls_.next_edge(now), grown_since(halls_.last_edge(now), now),
                controls_.next_edge(now), pause_at_ > now ? pause_at_ : workload::never});
  for (;; n_base_step_ /= 2) {
    const Tick until = base_steps_end(now, occupants);
    if (n_base_step_ == 1 ||
        std::all_of(occupants.begin(), occupants.end(), [&](const JobRun& u) { return u.is_steady_until(until); }))
      return until;
  }
}

Tick Agenda::plan_shorter(Tick until, Tick now, std::span<const JobRun> occupants) {
  Tick end = until;
  while (end >= until && n_base_step_ > 1) {
    n_base_step_ /= 2;
    end = base_steps_end(now, occupants);
  }
  return std::min(end, until);
}

/// Where as many base steps as planned end, if nothing comes first.
Tick Agenda::base_steps_end(Tick now, std::span<const JobRun> occupants) const {
  const Tick most = n_base_step_ > 1 ? n_base_step_ * base_ + base_ / 2 : min_macro_step() + base_,
             until = (now + most) / base_ * base_;
  return clip_to_next_event(std::min(macro_edge_, until), now, occupants);
}

/// Where a job is known to change on the way or soon after, the macro step ends there: the change begins the next one.
Tick Agenda::clip_to_next_event(Tick until, Tick now, std::span<const JobRun> occupants) const {
  if (equal_steps()) return until;
  Tick change = workload::never;
  for (const auto& u : occupants) change = std::min(change, u.next_change());
  change -= change % ns_per_ms;
  return change >= now + min_macro_step() && change <= std::min(macro_edge_, std::max(until, now + base_ + base_ / 2))
             ? change
             : until;
}

/// A rest of a base step that is too short for a macro step.
Tick Agenda::min_macro_step() const { return equal_steps() ? 0 : base_ / 4; }

bool Agenda::aligns(std::span<const JobRun> occupants) const {
  return !equal_steps() &&
         std::count_if(occupants.begin(), occupants.end(), [](const JobRun& u) { return u.trains(); }) == 1;
}

Tick Agenda::latest_end(Tick until, std::span<const JobRun> occupants) const {
  return aligns(occupants) ? macro_edge_ : until;
}

Tick Agenda::align_to_iteration_end(Tick until, std::span<const JobRun> occupants) const {
  if (!aligns(occupants)) return until;
  const Tick reached = occupants.front().now() / ns_per_ms * ns_per_ms;
  return reached <= macro_edge_ ? std::max(until, reached) : until;
}

}  // namespace TIDEWATT_NAMESPACE::sim
