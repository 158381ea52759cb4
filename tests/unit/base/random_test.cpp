#include "base/random.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using random::Purpose;

TEST_CASE("the normal quantile inverts the distribution function") {
  for (double p : {1e-300, 1e-20, 1e-7, 0.01, 0.0749, 0.0751, 0.3, 0.5, 0.8, 0.999, 1 - 1e-9}) {
    const double z = random::normal_quantile(p);
    CHECK(0.5 * std::erfc(-z / std::sqrt(2.0)) == Approx(p).epsilon(1e-12));
  }
}

TEST_CASE("draws depend on seed, purpose, entity and index only, and seed 0 is a seed") {
  const double u = random::uniform(0, Purpose::jitter, 5, 7);
  CHECK(u == random::uniform(0, Purpose::jitter, 5, 7));
  CHECK(u != random::uniform(1, Purpose::jitter, 5, 7));
  CHECK(u != random::uniform(0, Purpose::repair, 5, 7));
  CHECK(u != random::uniform(0, Purpose::jitter, 6, 7));
  CHECK(u != random::uniform(0, Purpose::jitter, 5, 8));
}

TEST_CASE("a uniform draw is the middle of its cell of 2^-53: never 0, never 1") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const double u = random::uniform(9, Purpose::jitter, 1, i);
    const auto cell = static_cast<double>(random::bits(9, Purpose::jitter, 1, i)[0] >> 11);
    CHECK(u == (cell + 0.5) * std::ldexp(1.0, -53));
    CHECK(u > 0.0);
    CHECK(u < 1.0);
  }
}

TEST_CASE("truncated normals stay inside and keep their mean and spread") {
  double sum = 0.0, square = 0.0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double z = random::truncated_normal(3, Purpose::silicon_leakage, static_cast<std::uint64_t>(i), -2.0, 2.0);
    REQUIRE(std::abs(z) <= 2.0);
    sum += z;
    square += z * z;
  }
  CHECK(std::abs(sum / n) < 0.01);
  CHECK(square / n == Approx(0.7737).epsilon(0.02));  // variance of a normal cut at ±2 sigma
}
