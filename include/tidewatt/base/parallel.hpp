#pragma once
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace tidewatt {

/// Calls `work(begin, end)` for disjoint ranges that cover [0, n), one per thread, and waits. Results must not depend
/// on the split. The first exception (by range) is rethrown.
template <class Work>
void parallel_ranges(std::size_t n, std::size_t n_thread, Work&& work) {
  if (n_thread <= 1 || n < 2 * n_thread) {
    if (n > 0) work(std::size_t{0}, n);
    return;
  }
  std::vector<std::exception_ptr> errors(n_thread);
  const auto guarded = [&](std::size_t i) {
    try {
      work(n * i / n_thread, n * (i + 1) / n_thread);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < n_thread; ++i) threads.emplace_back(guarded, i);
  guarded(0);
  for (auto& t : threads) t.join();
  for (const auto& e : errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace tidewatt
