#include "grid/rainflow.hpp"

#include <cmath>

#include "catch.hpp"
#include "iteration_wave.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using grid::Rainflow;

namespace {
double count_of(const Rainflow& r, double range_W) {
  for (const auto& c : r.cycles())
    if (std::abs(c.range_W - range_W) < 0.5) return c.count;
  return 0.0;
}
}  // namespace

TEST_CASE("the standard's example: −2 1 −3 5 −1 3 −4 4 −2") {
  Rainflow r(1.0, 16);
  for (const double W : {-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0}) r.push(std::vector<double>{W});
  CHECK(count_of(r, 3) == 0.5);
  CHECK(count_of(r, 4) == 1.5);
  CHECK(count_of(r, 6) == 0.5);
  CHECK(count_of(r, 8) == 1.0);
  CHECK(count_of(r, 9) == 0.5);
}

TEST_CASE("a small swing on a large one counts beside it, and every rise and fall is counted") {
  Rainflow r(1.0, 200);
  for (int k = 0; k < 100; ++k)
    for (const double W : {0.0, 60.0, 50.0, 100.0}) r.push(std::vector<double>{W});
  CHECK(count_of(r, 10) == 100.0);
  CHECK(count_of(r, 100) == Approx(99.5));
  CHECK(r.n_open() <= 3);
}

TEST_CASE("swings below a class are dropped, also across a class's edge; slow and fast waves count the same") {
  Rainflow noise(1.0, 10), slow(1.0, 10), fast(1.0, 10);
  for (int k = 0; k < 1000; ++k) noise.push(std::vector<double>{k % 2 ? 2.9 : 3.3});
  CHECK(noise.cycles().empty());
  for (int k = 0; k < 40; ++k) {
    for (int i = 0; i < 50; ++i) slow.push(std::vector<double>{5.0 * (k % 2 ? 50 - i : i) / 50.0});
    fast.push(std::vector<double>{k % 2 ? 4.999 : 0.0});
  }
  CHECK(count_of(fast, 4) == Approx(19.5));
  CHECK(std::abs(count_of(slow, 4) + count_of(slow, 5) - 19.5) <= 0.51);
}

TEST_CASE("memory stays bounded by the classes, and a new interval counts what was open as halves") {
  Rainflow r(1.0, 50);
  double x = 0.3;
  for (int i = 0; i < 100'000; ++i) {
    x = 3.99 * x * (1.0 - x);  // chaotic
    r.push(std::vector<double>{50.0 * x});
  }
  CHECK(r.n_open() < 100);
  Rainflow halves(1.0, 20);
  for (const double W : {0.0, 10.0}) halves.push(std::vector<double>{W});
  halves.begin(100);
  CHECK(halves.n_open() == 0);
  CHECK(count_of(halves, 10) == 0.5);
  CHECK_THROWS_AS(Rainflow(0.0, 10), InputError);
}

TEST_CASE("repetitions that are booked close the cycles of pushed ones") {
  using namespace iteration_wave;
  const auto x = iteration(80e6, 30e6), after = iteration(85e6, 20e6);
  Rainflow booked(1e6, 100), pushed = booked;
  push_and_book(booked, x, 1000, 990);
  push(pushed, x, 1000);
  push(booked, after), push(pushed, after);
  const auto a = booked.cycles(), b = pushed.cycles();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].count == b[i].count);
}
