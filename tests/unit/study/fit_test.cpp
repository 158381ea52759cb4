#include "study/fit.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
Fit line(std::uint64_t seed, double noise, double memory) {
  std::vector<double> y;
  double e = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    e = memory * e + std::sqrt(1 - memory * memory) * noise * random::normal(seed, random::Purpose::jitter, i);
    y.push_back(3.0 + 0.02 * static_cast<double>(i) + e);
  }
  return least_squares({{"offset", 0.0, -10, 10}, {"slope", 0.1, -1, 1}}, y.size(), [&](auto p, auto r) {
    for (std::size_t i = 0; i < y.size(); ++i) r[i] = p[0] + p[1] * static_cast<double>(i) - y[i];
  });
}
}  // namespace

TEST_CASE("noise-free data give their own parameters back", "[study][fit]") {
  const auto fit = line(1, 0.0, 0.0);
  CHECK(fit["offset"] == Approx(3.0).epsilon(1e-8));
  CHECK(fit["slope"] == Approx(0.02).epsilon(1e-8));
  CHECK_THROWS_AS(fit["gone"], InputError);
}

TEST_CASE("a parameter that the samples say nothing about is marked, the others are not", "[study][fit]") {
  const auto fit = least_squares(
      {{"level", 1.0, 0.0, 10.0}, {"idle", 0.5, 0.0, 1.0}, {"faint", 0.5, 0.0, 1.0}}, 50, [&](auto p, auto r) {
        for (std::size_t i = 0; i < r.size(); ++i)
          r[i] =
              p[0] + 1e-9 * static_cast<double>(i) * p[2] - 3.0 - 0.1 * random::normal(7, random::Purpose::jitter, i);
      });
  CHECK(fit.values[0].identified);
  CHECK(fit["level"] == Approx(3.0).margin(0.1));
  CHECK_FALSE(fit.values[1].identified);
  CHECK_FALSE(fit.values[2].identified);
  CHECK(fit.values[1].high - fit.values[1].low == Approx(1.0));
}

TEST_CASE("95 % intervals cover 95 % of the time, also when neighbouring errors are alike", "[study][fit]") {
  for (double memory : {0.0, 0.7}) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto fit = line(seed, 0.5, memory);
      covered += fit.values[1].low <= 0.02 && 0.02 <= fit.values[1].high;
    }
    CHECK(covered >= 178);  // 95 % of 200 less four standard deviations
  }
}

TEST_CASE("a parameter stays between its ends, and too few samples are refused", "[study][fit]") {
  const auto fit = least_squares({{"x", 0.5, 0.0, 1.0}}, 3, [](auto p, auto r) {
    for (auto& v : r) v = p[0] - 7.0;
  });
  CHECK(fit["x"] <= 1.0);
  CHECK(fit["x"] > 0.99);
  CHECK_THROWS_AS(least_squares({{"x", 0.5, 0, 1}}, 1, [](auto, auto) {}), InputError);
  CHECK_THROWS_AS(least_squares({{"x", 2.0, 0, 1}}, 5, [](auto, auto) {}), InputError);
}
