#pragma once
// Private to bench.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <limits>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

/// Processor time of this thread, s: other work on the machine does not count.
inline double thread_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// Processor time of all threads of this process, user and system, s.
inline double process_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}
inline double wall_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Shortest time of `work()` by `clock()`, repeated at least three times and until `budget_s` of it is spent.
template <class Clock, class Work>
double best_s(Clock clock, double budget_s, Work&& work) {
  double best = std::numeric_limits<double>::infinity(), spent = 0.0;
  for (int i = 0; i < 3 || (spent < budget_s && i < 1000); ++i) {
    const double start = clock();
    work();
    const double s = clock() - start;
    best = std::min(best, s);
    spent += s;
  }
  return best;
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
