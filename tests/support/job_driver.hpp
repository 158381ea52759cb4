#pragma once
// A job driven as the engine does it, for tests of its life.
#include <algorithm>

#include "catch.hpp"
#include "workload/job_life.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace job_driver {

/// Drives a job as the engine does, with iterations of a fixed length.
struct Driver {
  JobLife life;
  Tick iteration, evaluation;
  Tick now = 0;

  void step(Tick end) {
    const JobStep s = life.next(now);
    const Tick limit = std::min(s.interrupt, end);
    if (s.state == JobState::iterate) {
      std::int64_t n = 0;
      Tick t = now;
      while (n < s.max_iterations && t + iteration <= limit && (n == 0 || t < s.until)) t += iteration, ++n;
      const bool cut = n < s.max_iterations && (n == 0 || t < s.until);
      return finish(s, cut ? limit : t, n, cut, end);
    }
    const Tick until = s.state == JobState::evaluate ? now + evaluation : s.until;
    finish(s, std::min(until, limit), 0, until > limit, end);
  }
  void finish(const JobStep& s, Tick at, std::int64_t n, bool cut, Tick end) {
    now = at;
    if (!cut) return life.completed(s, n, now);
    if (now < end || s.interrupt == end) life.interrupted(now, n);
  }
  void run(Tick end) {
    while (now < end && life.state().state != JobState::done) step(end);
  }
};

inline JobParams job() {
  JobParams j;
  j.start_s = 100, j.initialise_base_s = 30, j.load_per_gpu_B_per_s = 5e9, j.storage_B_per_s = 2e12, j.warm_up_s = 20;
  j.checkpoint_interval_s = 600, j.checkpoint_base_s = 2, j.checkpoint_per_gpu_B_per_s = 5e9, j.copy_link_frac = 0.05;
  j.detect_s = 130, j.replace_s = 60, j.planned_stop_s = 900;
  return j;
}

constexpr JobSize size{16384, 5.7e12};
constexpr Tick s = ns_per_s, length = 6'456'789'123;

/// Every nanosecond is booked once, and iterations are kept or lost.
inline void check_books(const JobLife& life, Tick now) {
  const JobBooks& b = life.books();
  CHECK(b.total_ns() == now);
  CHECK(b.in(JobState::iterate) == b.effective_ns + b.lost_ns + b.unsaved_ns);
  CHECK(b.iterations_run - b.iterations_lost == life.progress_iterations());
}

}  // namespace job_driver

using namespace job_driver;
