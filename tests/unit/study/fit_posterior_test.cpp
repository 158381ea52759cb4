#include "study/fit_posterior.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "prior_z.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const std::vector<PriorParameter> prior = {
    {"level", 1.0, 4.0, true}, {"slope", -0.1, 0.1, false}, {"idle", 5.0, 9.0, true}};

/// A line of 200 readings with independent and drifting noise; the third parameter is not in it.
Posterior line(std::uint64_t seed, double level, double slope) {
  std::vector<double> t, y;
  double drift = 0.0;
  for (std::size_t i = 0; i < 200; ++i) {
    t.push_back(static_cast<double>(i));
    drift = 0.9 * drift + 0.1 * random::normal(seed, random::Purpose::jitter, 7, i);
    y.push_back(level + slope * t.back() + drift + 0.3 * random::normal(seed, random::Purpose::jitter, 8, i));
  }
  return fit_posterior(prior, t, [&](std::span<const double> p, std::span<double> r) {
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = p[0] + p[1] * t[i] - y[i];
  });
}
}  // namespace

TEST_CASE("value and z are each other's inverse, and 95 % lie between the ends", "[study][fit_posterior]") {
  for (const auto& p : prior) {
    CHECK(prior_value(p, normal_95) == Approx(p.high));
    CHECK(prior_value(p, -normal_95) == Approx(p.low));
    CHECK(prior_z(p, prior_value(p, 0.7)) == Approx(0.7));
  }
}

TEST_CASE("intervals cover truths drawn from the prior, and what a record lacks keeps its prior",
          "[study][fit_posterior]") {
  int covered = 0, n = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const double level = prior_value(prior[0], random::normal(seed, random::Purpose::jitter, 1));
    const double slope = prior_value(prior[1], random::normal(seed, random::Purpose::jitter, 2));
    const auto fit = line(seed, level, slope).fit;
    for (const auto& [v, truth] : {std::pair{fit.values[0], level}, std::pair{fit.values[1], slope}}) {
      REQUIRE(v.identified);
      covered += v.low <= truth && truth <= v.high;
      ++n;
    }
    CHECK_FALSE(fit.values[2].identified);
    CHECK(fit.values[2].low == 5.0);
    CHECK(fit.values[2].high == 9.0);
  }
  // 95 % of 200 are 190 with a deviation of 3 (two per log, so up to 4.4): within three of them.
  CHECK(covered >= 177);
  CHECK(covered < n);
}

TEST_CASE("a mode at the end of the search is said", "[study][fit_posterior]") {
  std::vector<double> t;
  for (std::size_t i = 0; i < 200; ++i) t.push_back(static_cast<double>(i));
  const auto wave = [&](double truth) {
    return fit_posterior({prior[0]}, t, [&, truth](std::span<const double> p, std::span<double> r) {
      for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = (p[0] - truth) * std::sin(t[i]) + 0.1 * random::normal(4, random::Purpose::jitter, i);
    });
  };
  CHECK(wave(12.0).fit.values[0].at_bound);  // four deviations above the middle are 8.2
  CHECK_FALSE(wave(5.0).fit.values[0].at_bound);
  CHECK_THROWS_AS(fit_posterior(prior, std::vector<double>{1.0, 2.0}, [](auto, auto) {}), InputError);
  CHECK_THROWS_AS(fit_posterior({{"x", -1.0, 1.0, true}}, std::vector<double>{1.0, 2.0}, [](auto, auto) {}),
                  InputError);
}
