#include "tidewatt/workload/jitter.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

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

TEST_CASE("sums of jitter do not depend on how a jump is cut", "[workload][jitter]") {
  const Jitter j(one_percent, 1, 0, 128);
  const Tick whole = j.sum_ns(1000, 5000, period);
  CHECK(j.sum_ns(1000, 1, period) + j.sum_ns(1001, 3333, period) + j.sum_ns(4334, 1666, period) == whole);
  CHECK(j.sum_ns(1000, 5000, period) == whole);
  CHECK(Jitter(one_percent, 2, 0, 128).sum_ns(1000, 5000, period) != whole);
  CHECK(Jitter(one_percent, 1, 1, 128).sum_ns(1000, 5000, period) != whole);
  CHECK(Jitter({}, 1, 0, 128).sum_ns(0, 1'000'000'000'000, period) == 0);
}

TEST_CASE("iterations that fit into a time", "[workload][jitter]") {
  const Jitter j(one_percent, 1, 0, 16), none({}, 1, 0, 16);
  for (const Jitter* each : {&j, &none}) {
    const Tick exact = 20 * period + each->sum_ns(7, 20, period);
    for (const Tick length : {exact - 1, exact, exact + 1}) {
      const auto inside = each->fit(7, 1000, period, length, false);
      const auto through = each->fit(7, 1000, period, length, true);
      CHECK(inside.count == (length < exact ? 19 : 20));
      CHECK(through.count == (length <= exact ? 20 : 21));
      CHECK(inside.length == inside.count * period + each->sum_ns(7, inside.count, period));
      CHECK(through.length == through.count * period + each->sum_ns(7, through.count, period));
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

TEST_CASE("lines of jittered trains keep exp(-2 pi^2 f^2 sigma^2)", "[workload][jitter][G12]") {
  for (const double sigma_s : {0.05, 0.2, 0.5})
    for (const std::int64_t k : {1, 2, 5}) {
      const JitteredTrains trains(6.4, sigma_s, 11);
      const double f_Hz = static_cast<double>(k) / 6.4;
      const double expected = line_attenuation(f_Hz, sigma_s);
      // Variance of cos of a normal phase: (1 + e^(-4a))/2 - e^(-2a), a = expected amplitude's exponent.
      const double squared = expected * expected;
      const double scatter = std::sqrt((0.5 * (1.0 + squared * squared) - squared) / (64.0 * 200.0));
      INFO("sigma " << sigma_s << " s, line " << k);
      CHECK(std::abs(trains.line_ratio(k, 64, 200) - expected) <= 4.0 * scatter + 1e-12);
    }
  CHECK(line_attenuation(0.0, 1.0) == 1.0);
  CHECK(JitteredTrains(6.4, 0.0, 1).line_ratio(3, 2, 10) == Approx(1.0).epsilon(1e-12));
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
