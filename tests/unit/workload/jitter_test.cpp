#include "tidewatt/workload/jitter.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

constexpr JitterParams one_percent{0.01, 0.0, 0.0};
constexpr Tick period = 6'456'789'123;

struct Moments {
  double mean = 0.0, sigma = 0.0, least = 1e9;
};

Moments moments(const Jitter& j, std::int64_t n) {
  Moments m;
  double square = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = j.excess_frac(i);
    m.mean += x / static_cast<double>(n);
    square += x * x / static_cast<double>(n);
    m.least = std::min(m.least, x);
  }
  m.sigma = std::sqrt(square - m.mean * m.mean);
  return m;
}

/// Excess of the iterations [first, first + count).
Tick sum_ns(const Jitter& j, std::int64_t first, std::int64_t count) {
  Tick sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += j.excess_ns(first + i, period);
  return sum;
}

}  // namespace

TEST_CASE("one replica's excess is half-normal", "[workload][jitter]") {
  constexpr std::int64_t n = 40000;
  const Moments m = moments(Jitter(one_percent, 3, 0, 1), n);
  const double mean = 0.01 * std::sqrt(2.0 / std::numbers::pi), sigma = 0.01 * std::sqrt(1.0 - 2.0 / std::numbers::pi);
  CHECK(m.least >= 0.0);
  CHECK(std::abs(m.mean - mean) <= 4.0 * sigma / std::sqrt(static_cast<double>(n)));
  CHECK(m.sigma == Approx(sigma).epsilon(0.03));
}

TEST_CASE("the iteration waits for the slowest of many replicas", "[workload][jitter]") {
  // Expected largest of n half-normals by quadrature of 1 - (2Φ - 1)^n, with 2Φ(x) - 1 = erf(x/√2).
  for (const std::int64_t replicas : {8, 128, 2048}) {
    double expected = 0.0;
    for (double x = 5e-4; x < 8.0; x += 1e-3)
      expected += 1e-3 * (1.0 - std::pow(std::erf(x / std::numbers::sqrt2), static_cast<double>(replicas)));
    const Moments m = moments(Jitter(one_percent, 9, 0, replicas), 10000);
    INFO(replicas << " replicas: " << m.mean << " against " << 0.01 * expected);
    CHECK(std::abs(m.mean - 0.01 * expected) <= 4.0 * m.sigma / 100.0);
  }
}

TEST_CASE("an iteration's excess belongs to seed, job and iteration", "[workload][jitter]") {
  const Jitter j(one_percent, 1, 0, 128);
  const Tick whole = sum_ns(j, 1000, 5000);
  CHECK(sum_ns(Jitter(one_percent, 1, 0, 128), 1000, 5000) == whole);
  CHECK(sum_ns(Jitter(one_percent, 2, 0, 128), 1000, 5000) != whole);
  CHECK(sum_ns(Jitter(one_percent, 1, 1, 128), 1000, 5000) != whole);
  CHECK(sum_ns(j, 1001, 5000) != whole);
  CHECK(sum_ns(Jitter({}, 1, 0, 128), 0, 1000) == 0);
}

TEST_CASE("iterations that fit into a time", "[workload][jitter]") {
  const Jitter j(one_percent, 1, 0, 16), none({}, 1, 0, 16);
  for (const Jitter* each : {&j, &none}) {
    const Tick exact = 20 * period + sum_ns(*each, 7, 20);
    for (const Tick length : {exact - 1, exact, exact + 1}) {
      const auto inside = each->fit(7, 1000, period, length, false);
      const auto through = each->fit(7, 1000, period, length, true);
      CHECK(inside.count == (length < exact ? 19 : 20));
      CHECK(through.count == (length <= exact ? 20 : 21));
      CHECK(inside.length == inside.count * period + sum_ns(*each, 7, inside.count));
      CHECK(through.length == through.count * period + sum_ns(*each, 7, through.count));
    }
    CHECK(each->fit(7, 5, period, exact, true).count == 5);
    CHECK(each->fit(7, 5, period, 0, true).count == 0);
  }
  CHECK_THROWS_AS(j.fit(0, 1, 0, 1, true), InputError);
  CHECK_THROWS_AS(Jitter(one_percent, 1, 0, 0), InputError);
}

TEST_CASE("slow hosts: their share and their slowness", "[workload][jitter]") {
  const JitterParams p{0.0, 0.005, 0.1};
  constexpr std::int64_t n = 100000;
  const auto slowness = host_slowness(p, 4, n);
  double slow = 0.0;
  for (const double x : slowness) {
    REQUIRE((x == 1.0 || x == 1.1));
    slow += x > 1.0 ? 1.0 : 0.0;
  }
  CHECK(std::abs(slow - 500.0) <= 4.0 * std::sqrt(500.0 * 0.995));
  const auto fewer = host_slowness(p, 4, 50);
  CHECK(std::equal(fewer.begin(), fewer.end(), slowness.begin()));  // a host stays slow in a larger fleet
}

TEST_CASE("groups begin late by equally likely parts of one replica's scatter", "[workload][jitter]") {
  const Jitter j({0.01, 0, 0}, 1, 0, 8);
  double sum = 0.0;
  for (int k = 0; k < 1000; ++k) sum += j.quantile_frac(k, 1000) / 1000.0;
  CHECK(sum == Approx(0.01 * std::sqrt(2.0 / std::numbers::pi)).epsilon(2e-3));  // the mean of a half-normal
  CHECK(j.quantile_frac(0, 1) == Approx(0.01 * 0.67448975).epsilon(1e-6));
  CHECK(j.quantile_frac(0, 4) < j.quantile_frac(3, 4));
  CHECK_THROWS_AS(j.quantile_frac(4, 4), InputError);
}
