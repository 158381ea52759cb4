#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

namespace detail {
/// Calls `take(context)` here and, at the same time, in up to `n_helper` threads that are kept for that; waits for all.
/// While the helpers are busy with another call, it runs here alone.
void with_helpers(std::size_t n_helper, void (*take)(void*), void* context);
}  // namespace detail

/// Calls `work(begin, end)` for disjoint ranges that cover [0, n), and waits. Ranges go to whichever of `n_thread` threads
/// is free, several to each, so that a core that is also busy elsewhere does not delay the others. Results must not
/// depend on the split. The first exception (by range) is rethrown.
/// @param least of each thread: below that, to wake the others takes longer than to do their part
template <class Work>
void parallel_ranges(std::size_t n, std::size_t n_thread, Work&& work, std::size_t least = 2) {
  if (n_thread <= 1 || n < least * n_thread) {
    if (n > 0) work(std::size_t{0}, n);
    return;
  }
  const std::size_t n_range = std::min(n, 6 * n_thread);
  std::vector<std::exception_ptr> errors(n_range);
  std::atomic<std::size_t> next{0};
  auto take = [&] {
    for (std::size_t i = next++; i < n_range; i = next++) try {
        work(n * i / n_range, n * (i + 1) / n_range);
      } catch (...) {
        errors[i] = std::current_exception();
      }
  };
  detail::with_helpers(n_thread - 1, [](void* t) { (*static_cast<decltype(take)*>(t))(); }, &take);
  for (const auto& e : errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace TIDEWATT_NAMESPACE
