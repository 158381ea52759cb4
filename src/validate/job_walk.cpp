#include "job_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {

using namespace workload;
namespace {

/// One step; true if it ended, false if `end` or a failure cut it.
struct Walker {
  JobLife& life;
  const Jitter& jitter;
  WalkPace pace;
  Tick now, end;

  void cut(const JobStep& step, std::int64_t iterations) {
    now = std::min(step.interrupt, end);
    if (step.interrupt <= end)
      life.interrupted(now, iterations);
    else
      life.book_until(now, iterations);
  }

  void iterate(const JobStep& step) {
    const Tick limit = std::min(step.interrupt, end) - now;
    const std::int64_t first = life.progress_iterations();
    // At least one iteration: a boundary that is due at once was handled when the step was chosen.
    const Tick until = step.until == never ? limit : std::max<Tick>(1, step.until - now);
    auto done = jitter.fit(first, step.max_iterations, pace.iteration, std::min(until, limit), true);
    if (done.length > limit || (done.length < until && done.count < step.max_iterations))
      return cut(step, jitter.fit(first, step.max_iterations, pace.iteration, limit, false).count);
    now += done.length;
    life.completed(step, done.count, now);
  }

  void step() {
    const JobStep s = life.next(now);
    if (s.state == JobState::iterate) return iterate(s);
    const Tick until = s.state == JobState::evaluate ? now + pace.evaluation_batch * s.evaluation_batches : s.until;
    if (until > std::min(s.interrupt, end)) return cut(s, 0);
    now = until;
    life.completed(s, 0, now);
  }
};

}  // namespace

Tick walk(JobLife& life, const Jitter& jitter, const WalkPace& pace, Tick begin, Tick end) {
  if (pace.iteration <= 0 || pace.evaluation_batch < 0)
    throw InputError(
        fmt::format("job: iterations of {} ns, evaluations of {} ns", pace.iteration, pace.evaluation_batch));
  Walker walker{life, jitter, pace, begin, end};
  while (walker.now < end && life.state().state != JobState::done) walker.step();
  return walker.now;
}

}  // namespace TIDEWATT_NAMESPACE::validate
