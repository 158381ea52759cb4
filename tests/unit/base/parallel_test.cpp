#include "base/parallel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "catch.hpp"

using namespace tidewatt;

namespace {

/// How often each of `n` places was worked on.
std::vector<int> visits(std::size_t n, std::size_t n_thread) {
  std::vector<int> seen(n, 0);
  parallel_ranges(n, n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  return seen;
}

bool once(const std::vector<int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](int k) { return k == 1; });
}

}  // namespace

TEST_CASE("every place is worked on once, whatever the number of threads") {
  for (const std::size_t n : {0u, 1u, 2u, 7u, 100u, 1003u})
    for (const std::size_t n_thread : {0u, 1u, 2u, 3u, 17u}) {
      INFO(n << " " << n_thread);
      CHECK(once(visits(n, n_thread)));
    }
  for (int i = 0; i < 2000; ++i) REQUIRE(once(visits(64, 1 + static_cast<std::size_t>(i) % 5)));
}

TEST_CASE("the first range's exception arrives, and the next call works") {
  const auto failing = [](std::size_t begin, std::size_t) {
    if (begin > 0) throw std::runtime_error(std::to_string(begin));
  };
  CHECK_THROWS_WITH(parallel_ranges(60, 2, failing), "5");  // the second of twelve ranges
  CHECK(once(visits(60, 2)));
}

TEST_CASE("calls from within, and from several threads at once, are served") {
  std::vector<int> sums(40, 0);
  parallel_ranges(sums.size(), 3, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto inner = visits(50, 3);
      sums[i] = std::accumulate(inner.begin(), inner.end(), 0);
    }
  });
  CHECK(std::all_of(sums.begin(), sums.end(), [](int s) { return s == 50; }));
  std::vector<std::thread> callers;
  std::vector<int> good(4, 0);
  for (std::size_t c = 0; c < good.size(); ++c)
    callers.emplace_back([&, c] {
      for (int i = 0; i < 200; ++i) good[c] += once(visits(90, 2)) ? 1 : 0;
    });
  for (auto& t : callers) t.join();
  CHECK(good == std::vector<int>(4, 200));
}

TEST_CASE("a forked child has threads of its own") {
  CHECK(once(visits(100, 2)));
  const pid_t child = fork();
  if (child == 0) _exit(once(visits(100, 3)) ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
