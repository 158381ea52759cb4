#include "job_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "job_life_lists.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

using failure_list::find;
using failure_list::tick_of;

void check(const JobParams& job, const JobSize& size, const std::vector<Failure>& failures) {
  if (size.n_gpu < 1 || !(size.checkpoint_B >= 0.0))
    throw InputError(fmt::format("job: {} GPUs, checkpoint of {} bytes", size.n_gpu, size.checkpoint_B));
  if (!(job.storage_B_per_s > 0.0) || !(job.load_per_gpu_B_per_s > 0.0) || !(job.checkpoint_per_gpu_B_per_s > 0.0))
    throw InputError("job: storage, loading and checkpoint rates must be above 0");
  if (!std::is_sorted(failures.begin(), failures.end(),
                      [](const Failure& a, const Failure& b) { return a.tick < b.tick; }))
    throw InputError("job: failures must be sorted by time");
  const bool soft = job.soft_start_s > 0.0 || job.soft_stop_s > 0.0;
  if (soft && (job.soft_stages < 1 || !(job.soft_clock_frac > 0.0) || job.soft_clock_frac > 1.0))
    throw InputError(
        fmt::format("job: soft start or stop in {} stages from {} of the clock", job.soft_stages, job.soft_clock_frac));
}

}  // namespace

JobLife::JobLife(const JobParams& job, const JobSize& size, std::vector<Failure> failures, const DomainLayout& domains)
    : job_(job), size_(size), domains_(domains, job.spare_racks) {
  check(job_, size_, failures);
  const Tick start = to_tick(job_.start_s);
  std::erase_if(failures, [&](const Failure& f) { return f.tick < start; });
  failures_ = std::make_shared<const std::vector<Failure>>(std::move(failures));
  s_.failure = find(*failures_, 0, false);
  s_.planned = find(*failures_, 0, true);
  s_.spare_nodes = job_.spare_nodes;
  s_.domains = domains_.begin();
  enter(JobState::queued, 0);
}

void JobLife::restore(const JobLifeState& state) {
  if (state.failure > failures_->size() || state.planned > failures_->size())
    throw InputError(fmt::format("job: a saved state points at failure {} of {}",
                                 std::max(state.failure, state.planned), failures_->size()));
  s_ = state;
  events_.clear();
}

void JobLife::book(Tick now) {
  if (now < s_.booked) throw InputError(fmt::format("job: time went back from {} ns to {} ns", s_.booked, now));
  s_.books.state_ns[static_cast<std::size_t>(s_.state)] += now - s_.booked;
  if (s_.state == JobState::iterate) s_.books.unsaved_ns += now - s_.booked;
  s_.booked = now;
}

/// Begins a state; states of no length are passed through.
void JobLife::enter(JobState state, Tick now) {
  s_.state = state;
  s_.entered = now;
  if (state == JobState::iterate && job_.checkpoint_interval_s > 0.0 && s_.checkpoint_due == never)
    s_.checkpoint_due =
        now + to_tick(s_.books.checkpoints == 0 && job_.checkpoint_first_s > 0.0 ? job_.checkpoint_first_s
                                                                                 : job_.checkpoint_interval_s);
  if (duration_ns(state) == 0) completed(next(now), 0, now);
}

void JobLife::keep(std::int64_t progress, Tick unsaved_ns) {
  s_.durable = progress;
  s_.books.effective_ns += unsaved_ns;
  s_.books.unsaved_ns -= unsaved_ns;
}

/// An asynchronous checkpoint counts once storage has all of it.
void JobLife::settle(Tick now) {
  if (s_.draining.durable_at > now) return;
  keep(s_.draining.progress, s_.draining.unsaved_ns);
  s_.draining = {};
}

void JobLife::saved(Tick now) {
  ++s_.books.checkpoints;
  const bool async = job_.checkpoint_async && !s_.stopping;
  log(now, "checkpoint", -1, fmt::format("iteration {}{}", s_.progress, async ? ", to host memory" : ""));
  if (async) {
    s_.draining = {now + to_tick(checkpoint_drain_s(job_, size_)), s_.progress, s_.books.unsaved_ns};
  } else {
    keep(s_.progress, s_.books.unsaved_ns);
    s_.draining = {};
  }
  s_.checkpoint_due = job_.checkpoint_interval_s > 0.0 ? now + to_tick(job_.checkpoint_interval_s) : never;
  if (s_.draining.durable_at != never) s_.checkpoint_due = std::max(s_.checkpoint_due, s_.draining.durable_at);
}

/// What comes after an iteration boundary: the end, a planned stop, a checkpoint, an evaluation, or more iterations.
void JobLife::choose(Tick now) {
  settle(now);
  drop_lapsed(now);
  if (finished() || stop_due(now)) return stop_or_end(now);
  s_.stopping = s_.ramped_down = false;
  if (now >= s_.checkpoint_due) {
    if (s_.progress > s_.durable) return enter(JobState::checkpoint, now);
    s_.checkpoint_due = now + to_tick(job_.checkpoint_interval_s);
  }
  const std::int64_t every = job_.evaluation_interval_iterations;
  if (every > 0 && s_.progress > s_.evaluated && s_.progress % every == 0) return enter(JobState::evaluate, now);
  enter(JobState::iterate, now);
}

/// Save, ramp down, then the end or the stop: each once.
void JobLife::stop_or_end(Tick now) {
  if (job_.checkpoint_interval_s > 0.0 && s_.progress > s_.durable) {
    s_.stopping = true;
    return enter(JobState::checkpoint, now);
  }
  s_.stopping = false;
  if (job_.soft_stop_s > 0.0 && !s_.ramped_down) return enter(JobState::ramp_down, now);
  s_.ramped_down = false;
  if (finished()) {
    keep(s_.progress, s_.books.unsaved_ns);  // a job without checkpoints ends with its result
    log(now, "done", -1, fmt::format("{} iterations", s_.progress));
    return enter(JobState::done, now);
  }
  lose_unsaved();  // nothing, unless the job never saves
  begin_planned(now);
}

void JobLife::begin_planned(Tick now) {
  ++s_.books.planned;
  log(now, "planned_stop", -1, fmt::format("at iteration {}", s_.progress));
  Tick end = now;
  if (tick_of(*failures_, s_.planned) <= now) {
    s_.planned = find(*failures_, s_.planned + 1, true);
    end += to_tick(job_.planned_stop_s);
  }
  s_.maintenance_ns = take_requests(end) - now;
  s_.checkpoint_due = s_.soft_begin = never;
  enter(JobState::maintenance, now);
}

void JobLife::lose_unsaved() {
  s_.books.iterations_lost += s_.progress - s_.durable;
  s_.books.lost_ns += s_.books.unsaved_ns;
  s_.books.unsaved_ns = 0;
  s_.progress = s_.durable;
  s_.evaluated = std::min(s_.evaluated, s_.progress);
  s_.draining = {};
}

void JobLife::progress_by(std::int64_t iterations, Tick now) {
  if (iterations < 0 || (iterations > 0 && s_.state != JobState::iterate))
    throw InputError(fmt::format("job: {} iterations in state {}", iterations, name_of(s_.state)));
  book(now);
  s_.progress += iterations;
  s_.books.iterations_run += iterations;
}

void JobLife::started(Tick now) {
  log(now, s_.books.unexpected + s_.books.planned == 0 ? "start" : "restart", -1,
      fmt::format("from iteration {}", s_.progress));
  if (job_.soft_start_s > 0.0 && job_.soft_style == "replicas") return enter(JobState::ramp_up, now);
  if (job_.soft_start_s > 0.0) s_.soft_begin = now;
  choose(now);
}

void JobLife::completed(const JobStep& step, std::int64_t iterations, Tick now) {
  if (step.state != s_.state)
    throw InputError(fmt::format("job: completed {} while in {}", name_of(step.state), name_of(s_.state)));
  progress_by(iterations, now);
  switch (s_.state) {
    case JobState::queued:
      return enter(JobState::initialise, now);
    case JobState::initialise:
      return enter(JobState::load, now);
    case JobState::load:
      return enter(JobState::warm_up, now);
    case JobState::warm_up:
      return started(now);
    case JobState::ramp_up:
    case JobState::ramp_down:
      if (now - s_.entered < duration_ns(s_.state)) return;  // a stage of it
      s_.ramped_down = s_.state == JobState::ramp_down;
      return choose(now);
    case JobState::run_out:
      return enter(JobState::detect, now);
    case JobState::detect:
      return enter(JobState::tear_down, now);
    case JobState::tear_down:
      if (s_.spinning && now - s_.entered < duration_ns(s_.state)) return;  // a stage of it
      s_.spinning = false;
      return after_outage(now);
    case JobState::wait_for_spare:
      return after_outage(now);
    case JobState::replace:
    case JobState::maintenance:
      s_.replacing = false;
      return after_outage(now);
    case JobState::evaluate:
      s_.evaluated = s_.progress;
      log(now, "evaluation", -1, fmt::format("at iteration {}", s_.progress));
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

void JobLife::book_until(Tick now, std::int64_t iterations) {
  progress_by(iterations, now);
  settle(now);
}

std::vector<JobEvent> JobLife::take_events() { return std::exchange(events_, {}); }

void JobLife::log(Tick tick, const char* kind, std::int64_t entity, std::string text) {
  events_.push_back({tick, kind, entity, std::move(text)});
}

}  // namespace TIDEWATT_NAMESPACE::workload
