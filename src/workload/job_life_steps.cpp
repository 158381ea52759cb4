#include <algorithm>
#include <array>

#include "job_life.hpp"
#include "job_life_lists.hpp"

namespace TIDEWATT_NAMESPACE::workload {

using failure_list::is_down;
using failure_list::tick_of;

const char* name_of(JobState state) {
  constexpr std::array<const char*, n_job_state> names = {
      "queued",  "initialise",  "load", "warm_up", "iterate",   "evaluate",       "checkpoint", "detect",
      "replace", "maintenance", "done", "ramp_up", "ramp_down", "wait_for_spare", "run_out",    "tear_down"};
  return names[static_cast<std::size_t>(state)];
}

Tick JobBooks::total_ns() const {
  Tick sum = 0;
  for (const Tick t : state_ns) sum += t;
  return sum;
}

double JobBooks::effective_frac() const {
  const Tick held = total_ns() - in(JobState::queued);
  return held > 0 ? static_cast<double>(effective_ns + unsaved_ns) / static_cast<double>(held) : 0.0;
}

/// Length of a timed state; `never` for those that end by work.
Tick JobLife::duration_ns(JobState state) const {
  if (s_.dark && (is_down(state) || state == JobState::queued)) return never;
  switch (state) {
    case JobState::queued:
      return to_tick(job_.start_s);
    case JobState::initialise:
      return to_tick(initialise_s(job_, size_));
    case JobState::load:
      return to_tick(load_s(job_, size_));
    case JobState::warm_up:
      return to_tick(job_.warm_up_s);
    case JobState::ramp_up:
      return to_tick(job_.soft_start_s);
    case JobState::ramp_down:
      return to_tick(job_.soft_stop_s);
    case JobState::checkpoint:
      return to_tick(checkpoint_blocking_s(job_, size_, job_.checkpoint_async && !s_.stopping));
    case JobState::run_out:
      return s_.run_out_ns;
    case JobState::detect:
      return s_.detect_ns - s_.run_out_ns;
    case JobState::tear_down:
      return s_.start_held && !s_.replacing ? never : s_.spinning ? to_tick(job_.tear_down_s) : 0;
    case JobState::wait_for_spare:
      if (domains_.any()) {
        const Tick back = domains_.next_back(s_.domains, s_.entered);
        return back == never ? never : back - s_.entered;
      }
      return s_.repaired_at.empty() ? never : s_.repaired_at.front() - s_.entered;
    case JobState::replace:
      return s_.start_held ? never : to_tick(job_.replace_s);
    case JobState::maintenance:
      return s_.held_since != never ? never : s_.maintenance_ns;
    case JobState::iterate:
    case JobState::evaluate:
    case JobState::done:
      break;
  }
  return never;
}

PhaseKind JobLife::kind_of(JobState state) const {
  PhaseKind kind;
  kind.name = name_of(state);
  kind.wait_s = 1.0;
  // Processes that wait for a failed one spin until they are ended: then no context until they are started again (measured: idle
  // power, then reload).
  const bool ends = state == JobState::run_out || state == JobState::detect || state == JobState::tear_down;
  kind.context = ends ? s_.spinning : !(is_down(state) || state == JobState::queued || state == JobState::done);
  if (state == JobState::load || state == JobState::checkpoint) {
    const double rate_B_per_s = state == JobState::load ? job_.load_per_gpu_B_per_s : job_.checkpoint_per_gpu_B_per_s;
    double whole_s = seconds(duration_ns(state));
    if (state == JobState::load) whole_s -= load_spread_s(job_, size_);  // of each host
    const double copy_s = size_.checkpoint_B / static_cast<double>(size_.n_gpu) / rate_B_per_s;
    kind.link_s = whole_s > 0.0 ? std::min(1.0, copy_s / whole_s) : 0.0;
    kind.wait_s = 1.0 - kind.link_s;
    kind.link_frac = job_.copy_link_frac;
  }
  if ((state == JobState::ramp_up || state == JobState::ramp_down) && job_.soft_burn_activity > 0.0) {
    kind.matrix_s = 1.0;
    kind.wait_s = 0.0;
    kind.matrix_activity = job_.soft_burn_activity;
  }
  return kind;
}

std::int64_t JobLife::stage(Tick begin, double length_s, Tick now) const {
  std::int64_t k = 0;
  const Tick length = to_tick(length_s);
  while (k + 1 < job_.soft_stages && begin + length * (k + 1) / job_.soft_stages <= now) ++k;
  return k;
}

Tick JobLife::stage_end(Tick begin, double length_s, Tick now) const {
  return begin + to_tick(length_s) * (stage(begin, length_s, now) + 1) / job_.soft_stages;
}

/// Hosts follow one another: into their processes, into loading and out of it. Each of them loads equally long.
void JobLife::arrive(JobStep& step, Tick now) const {
  const bool loads = s_.state == JobState::load;
  const Tick spread = to_tick(loads ? load_spread_s(job_, size_) : job_.arrive_s), since = now - s_.entered;
  if (spread == 0 || (!loads && since >= spread)) return;
  step.hosts = {spread, loads ? duration_ns(s_.state) - spread : never, since};
  step.rest_waits = loads;
}

/// Hosts end their processes one after another: a share of them still has some that spin.
void JobLife::tear_down(JobStep& step, Tick now) const {
  constexpr std::int64_t n_stage = 3;
  const Tick length = to_tick(job_.tear_down_s), since = now - s_.entered;
  step.rest_waits = false;
  step.by_host = true;
  if (!s_.spinning || since >= length) {
    step.kind.context = false;
    return;
  }
  std::int64_t k = 0;
  while (k + 1 < n_stage && length * (k + 1) / n_stage <= since) ++k;
  step.busy_frac = static_cast<double>(n_stage - k) / static_cast<double>(n_stage + 1);
  step.until = s_.entered + length * (k + 1) / n_stage;
}

/// The share of replicas or of the clock that a soft start or stop allows now, and how long it stays so.
void JobLife::soften(JobStep& step, Tick now) const {
  double share = 1.0;
  if (step.state == JobState::ramp_up) {
    share = soft_share(job_, stage(s_.entered, job_.soft_start_s, now));
    step.until = stage_end(s_.entered, job_.soft_start_s, now);
  } else if (step.state == JobState::ramp_down) {
    share = soft_share(job_, job_.soft_stages - 1 - stage(s_.entered, job_.soft_stop_s, now));
    step.until = stage_end(s_.entered, job_.soft_stop_s, now);
  } else if (s_.soft_begin != never && now < s_.soft_begin + to_tick(job_.soft_start_s)) {
    share = soft_share(job_, stage(s_.soft_begin, job_.soft_start_s, now));
    if (step.state == JobState::iterate)
      step.until = std::min(step.until, stage_end(s_.soft_begin, job_.soft_start_s, now));
  }
  (job_.soft_style == "clock" ? step.clock_frac : step.busy_frac) = share;
}

JobStep JobLife::next(Tick now) const {
  JobStep step;
  step.state = s_.state;
  step.kind = kind_of(s_.state);
  if (s_.state == JobState::done) return step;
  if (s_.state != JobState::queued) {
    step.interrupt = tick_of(*failures_, s_.failure);
    if (job_.planned_stop == "at_once" && !is_down(s_.state))
      step.interrupt = std::min(step.interrupt, tick_of(*failures_, s_.planned));
  }
  if (s_.state == JobState::evaluate) {
    step.evaluation_batches = job_.evaluation_batches;
  } else if (s_.state == JobState::iterate) {
    step.stop = stop_tick();
    step.until = std::max(now, std::min(s_.checkpoint_due, step.stop));
    if (job_.total_iterations > 0) step.iterations_left = job_.total_iterations - s_.progress;
    step.max_iterations = step.iterations_left;
    if (const std::int64_t every = job_.evaluation_interval_iterations; every > 0)
      step.max_iterations = std::min(step.max_iterations, every - s_.progress % every);
  } else if (const Tick length = duration_ns(s_.state); length != never) {
    step.until = s_.entered + length;
  }
  if (s_.state == JobState::run_out) step.failed_node = s_.failed_node;
  if (s_.state == JobState::tear_down)
    tear_down(step, now);
  else if (job_.soft_start_s > 0.0 || job_.soft_stop_s > 0.0)
    soften(step, now);
  if (s_.state == JobState::initialise || s_.state == JobState::load) arrive(step, now);
  return step;
}

}  // namespace TIDEWATT_NAMESPACE::workload
