#include "tidewatt/workload/job_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidewatt/base/error.hpp"

namespace tidewatt::workload {
namespace {

std::size_t index_of(JobState state) { return static_cast<std::size_t>(state); }

/// First failure from `at` on of the wanted kind.
std::size_t find(const std::vector<Failure>& failures, std::size_t at, bool planned) {
  while (at < failures.size() && failures[at].planned != planned) ++at;
  return at;
}

Tick tick_of(const std::vector<Failure>& failures, std::size_t at) {
  return at < failures.size() ? failures[at].tick : never;
}

bool is_down(JobState s) { return s == JobState::detect || s == JobState::replace || s == JobState::maintenance; }

void check(const JobParams& job, const JobSize& size) {
  if (size.n_gpu < 1 || !(size.checkpoint_B >= 0.0))
    throw InputError(fmt::format("job: {} GPUs, checkpoint of {} bytes", size.n_gpu, size.checkpoint_B));
  if (!(job.storage_B_per_s > 0.0) || !(job.load_per_gpu_B_per_s > 0.0) || !(job.checkpoint_per_gpu_B_per_s > 0.0))
    throw InputError("job: storage, loading and checkpoint rates must be above 0");
}

}  // namespace

const char* name_of(JobState state) {
  constexpr std::array<const char*, n_job_state> names = {"queued",  "initialise",  "load",       "warm_up",
                                                          "iterate", "evaluate",    "checkpoint", "detect",
                                                          "replace", "maintenance", "done"};
  return names[index_of(state)];
}

Tick JobBooks::total_ns() const {
  Tick sum = 0;
  for (const Tick t : state_ns) sum += t;
  return sum;
}

JobLife::JobLife(const JobParams& job, const JobSize& size, std::vector<Failure> failures) : job_(job), size_(size) {
  check(job_, size_);
  const Tick start = to_tick(job_.start_s);
  std::erase_if(failures, [&](const Failure& f) { return f.tick < start; });
  if (!std::is_sorted(failures.begin(), failures.end(),
                      [](const Failure& a, const Failure& b) { return a.tick < b.tick; }))
    throw InputError("job: failures must be sorted by time");
  failures_ = std::make_shared<const std::vector<Failure>>(std::move(failures));
  failure_ = find(*failures_, 0, false);
  planned_ = find(*failures_, 0, true);
  enter(JobState::queued, 0);
}

double JobLife::duration_s(JobState state) const {
  switch (state) {
    case JobState::queued:
      return job_.start_s;
    case JobState::initialise:
      return initialise_s(job_, size_);
    case JobState::load:
      return load_s(job_, size_);
    case JobState::warm_up:
      return job_.warm_up_s;
    case JobState::checkpoint:
      return checkpoint_blocking_s(job_, size_, job_.checkpoint_async && !stopping_);
    case JobState::detect:
      return job_.detect_s;
    case JobState::replace:
      return job_.replace_s;
    case JobState::maintenance:
      return job_.planned_stop_s;
    default:
      return -1.0;  // ends by work, not by time
  }
}

PhaseKind JobLife::kind_of(JobState state) const {
  PhaseKind kind;
  kind.name = name_of(state);
  kind.wait_s = 1.0;
  // A crash ends the processes: no context until they are started again (measured: idle power, then reload).
  kind.context = !(is_down(state) || state == JobState::queued || state == JobState::done);
  if (state == JobState::load || state == JobState::checkpoint) {
    const double rate_B_per_s = state == JobState::load ? job_.load_per_gpu_B_per_s : job_.checkpoint_per_gpu_B_per_s;
    const double whole_s = duration_s(state);
    const double copy_s = size_.checkpoint_B / static_cast<double>(size_.n_gpu) / rate_B_per_s;
    kind.link_s = whole_s > 0.0 ? std::min(1.0, copy_s / whole_s) : 0.0;
    kind.wait_s = 1.0 - kind.link_s;
    kind.link_frac = job_.copy_link_frac;
  }
  return kind;
}

JobStep JobLife::next(Tick now) const {
  JobStep step;
  step.state = state_;
  step.kind = kind_of(state_);
  if (state_ == JobState::done) return step;
  if (state_ != JobState::queued) step.interrupt = tick_of(*failures_, failure_);
  if (state_ == JobState::evaluate) {
    step.evaluation_batches = job_.evaluation_batches;
  } else if (state_ == JobState::iterate) {
    step.until = std::max(now, std::min(checkpoint_due_, tick_of(*failures_, planned_)));
    step.max_iterations = job_.total_iterations > 0 ? job_.total_iterations - progress_ : never;
    if (const std::int64_t every = job_.evaluation_interval_iterations; every > 0)
      step.max_iterations = std::min(step.max_iterations, every - progress_ % every);
  } else {
    step.until = entered_ + to_tick(duration_s(state_));
  }
  return step;
}

void JobLife::book(Tick now) {
  if (now < booked_) throw InputError(fmt::format("job: time went back from {} ns to {} ns", booked_, now));
  books_.state_ns[index_of(state_)] += now - booked_;
  if (state_ == JobState::iterate) books_.unsaved_ns += now - booked_;
  booked_ = now;
}

/// Begins a state; states of no length are passed through.
void JobLife::enter(JobState state, Tick now) {
  state_ = state;
  entered_ = now;
  if (state == JobState::iterate && job_.checkpoint_interval_s > 0.0 && checkpoint_due_ == never)
    checkpoint_due_ = now + to_tick(job_.checkpoint_interval_s);
  if (duration_s(state) == 0.0) completed(next(now), 0, now);
}

void JobLife::keep(std::int64_t progress, Tick unsaved_ns) {
  durable_ = progress;
  books_.effective_ns += unsaved_ns;
  books_.unsaved_ns -= unsaved_ns;
}

/// An asynchronous checkpoint counts once storage has all of it.
void JobLife::settle(Tick now) {
  if (draining_.durable_at > now) return;
  keep(draining_.progress, draining_.unsaved_ns);
  draining_ = {};
}

void JobLife::saved(Tick now) {
  ++books_.checkpoints;
  const bool async = job_.checkpoint_async && !stopping_;
  log(now, "checkpoint", -1, fmt::format("iteration {}{}", progress_, async ? ", to host memory" : ""));
  if (async) {
    draining_ = {now + to_tick(checkpoint_drain_s(job_, size_)), progress_, books_.unsaved_ns};
  } else {
    keep(progress_, books_.unsaved_ns);
    draining_ = {};
  }
  checkpoint_due_ = job_.checkpoint_interval_s > 0.0 ? now + to_tick(job_.checkpoint_interval_s) : never;
  if (draining_.durable_at != never) checkpoint_due_ = std::max(checkpoint_due_, draining_.durable_at);
}

bool JobLife::planned_due(Tick now) const { return tick_of(*failures_, planned_) <= now; }

/// What comes after an iteration boundary: the end, a planned stop, a checkpoint, an evaluation, or more iterations.
void JobLife::choose(Tick now) {
  settle(now);
  const bool finished = job_.total_iterations > 0 && progress_ >= job_.total_iterations;
  const bool stop = planned_due(now);
  if ((finished || stop) && job_.checkpoint_interval_s > 0.0 && progress_ > durable_) {
    stopping_ = true;
    return enter(JobState::checkpoint, now);
  }
  stopping_ = false;
  if (finished) {
    keep(progress_, books_.unsaved_ns);  // a job without checkpoints ends with its result
    log(now, "done", -1, fmt::format("{} iterations", progress_));
    return enter(JobState::done, now);
  }
  if (stop) {
    lose_unsaved();  // nothing, unless the job never saves
    return begin_planned(now);
  }
  if (now >= checkpoint_due_) {
    if (progress_ > durable_) return enter(JobState::checkpoint, now);
    checkpoint_due_ = now + to_tick(job_.checkpoint_interval_s);
  }
  const std::int64_t every = job_.evaluation_interval_iterations;
  if (every > 0 && progress_ > evaluated_ && progress_ % every == 0) return enter(JobState::evaluate, now);
  enter(JobState::iterate, now);
}

void JobLife::begin_planned(Tick now) {
  ++books_.planned;
  log(now, "planned_stop", -1, fmt::format("at iteration {}", progress_));
  planned_ = find(*failures_, planned_ + 1, true);
  checkpoint_due_ = never;
  enter(JobState::maintenance, now);
}

void JobLife::lose_unsaved() {
  books_.iterations_lost += progress_ - durable_;
  books_.lost_ns += books_.unsaved_ns;
  books_.unsaved_ns = 0;
  progress_ = durable_;
  evaluated_ = std::min(evaluated_, progress_);
  draining_ = {};
}

void JobLife::progress_by(std::int64_t iterations, Tick now) {
  if (iterations < 0 || (iterations > 0 && state_ != JobState::iterate))
    throw InputError(fmt::format("job: {} iterations in state {}", iterations, name_of(state_)));
  book(now);
  progress_ += iterations;
  books_.iterations_run += iterations;
}

void JobLife::completed(const JobStep& step, std::int64_t iterations, Tick now) {
  if (step.state != state_)
    throw InputError(fmt::format("job: completed {} while in {}", name_of(step.state), name_of(state_)));
  progress_by(iterations, now);
  switch (state_) {
    case JobState::queued:
      return enter(JobState::initialise, now);
    case JobState::replace:
    case JobState::maintenance:  // a planned stop that fell into this one follows at once
      return planned_due(now) ? begin_planned(now) : enter(JobState::initialise, now);
    case JobState::initialise:
      return enter(JobState::load, now);
    case JobState::load:
      return enter(JobState::warm_up, now);
    case JobState::warm_up:
      log(now, books_.unexpected + books_.planned == 0 ? "start" : "restart", -1, fmt::format("from iteration {}", progress_));
      return choose(now);
    case JobState::detect:
      return enter(JobState::replace, now);
    case JobState::evaluate:
      evaluated_ = progress_;
      log(now, "evaluation", -1, fmt::format("at iteration {}", progress_));
      return choose(now);
    case JobState::checkpoint:
      saved(now);
      return choose(now);
    case JobState::iterate:
      return choose(now);
    case JobState::done:
      return;
  }
}

void JobLife::interrupted(Tick now, std::int64_t iterations, const std::string& cause) {
  if (state_ == JobState::done) return;
  progress_by(iterations, now);
  settle(now);
  ++books_.unexpected;
  std::int64_t node = -1;
  // All that struck up to now are one interruption each, the same cut.
  for (bool first = true; tick_of(*failures_, failure_) <= now; first = false) {
    if (!first) ++books_.unexpected;
    node = (*failures_)[failure_].node;
    failure_ = find(*failures_, failure_ + 1, false);
  }
  const std::int64_t lost = is_down(state_) ? 0 : progress_ - durable_;
  log(now, "failure", node,
      fmt::format("{}{} in {}, {} iterations lost", cause, cause.empty() ? "" : ":", name_of(state_), lost));
  if (is_down(state_)) return;  // another node falls while the job is down: the same repair covers it
  lose_unsaved();
  stopping_ = false;
  checkpoint_due_ = never;
  enter(JobState::detect, now);
}

std::vector<JobEvent> JobLife::take_events() { return std::exchange(events_, {}); }

void JobLife::log(Tick tick, const char* kind, std::int64_t entity, std::string text) {
  events_.push_back({tick, kind, entity, std::move(text)});
}

}  // namespace tidewatt::workload
