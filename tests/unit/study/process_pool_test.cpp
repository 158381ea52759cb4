#include "study/process_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <numeric>
#include <thread>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt::study;

namespace {

std::vector<std::size_t> first(std::size_t n) {
  std::vector<std::size_t> v(n);
  std::iota(v.begin(), v.end(), std::size_t{0});
  return v;
}

}  // namespace

TEST_CASE("every task is done once, whatever the number of workers") {
  for (const std::size_t n_worker : {1u, 3u, 8u}) {
    std::vector<std::size_t> done;
    CHECK(run_pool(
        first(40), [](std::size_t) {}, [&](std::size_t i) { done.push_back(i); },
        [](std::size_t, const std::string&) { FAIL(); }, {n_worker, {}}));
    std::sort(done.begin(), done.end());
    CHECK(done == first(40));
  }
  CHECK(run_pool({}, [](std::size_t) {}, [](std::size_t) {}, [](std::size_t, const std::string&) {}));
}

TEST_CASE("a crash costs its own task only, and is said by name") {
  std::vector<std::size_t> done;
  std::vector<std::string> died;
  const auto work = [](std::size_t i) {
    if (i == 5) std::raise(SIGKILL);
    if (i == 7) ::_exit(9);
  };
  CHECK(run_pool(
      first(12), work, [&](std::size_t i) { done.push_back(i); },
      [&](std::size_t i, const std::string& why) { died.push_back(std::to_string(i) + " " + why); }, {2, {}}));
  CHECK(done.size() == 10);
  std::sort(died.begin(), died.end());
  REQUIRE(died.size() == 2);
  CHECK(died[0].find("5 killed by signal 9") == 0);
  CHECK(died[1] == "7 ended with exit code 9");
}

TEST_CASE("a stop ends it within a fifth of a second, in the middle of a task") {
  const auto start = std::chrono::steady_clock::now();
  const auto spent_s = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto sleep = [](std::size_t) { std::this_thread::sleep_for(std::chrono::seconds(30)); };
  CHECK_FALSE(run_pool(
      first(4), sleep, [](std::size_t) {}, [](std::size_t, const std::string&) {},
      {2, [&] { return spent_s() > 0.3; }}));
  CHECK(spent_s() < 0.5);
}

TEST_CASE("what a worker cannot write ends the pool with the same kind of error") {
  const auto work = [](std::size_t i) {
    if (i == 3) throw tidewatt::OutputError("no space");
  };
  CHECK_THROWS_AS(run_pool(
                      first(8), work, [](std::size_t) {}, [](std::size_t, const std::string&) {}, {2, {}}),
                  tidewatt::OutputError);
}
