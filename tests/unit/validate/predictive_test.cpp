#include "validate/predictive.hpp"

#include <cmath>
#include <stdexcept>

#include "base/random.hpp"
#include "catch.hpp"
#include "study/sensitivity.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("Student's quantiles: closed forms of one and two degrees, a table's, and the normal limit") {
  const double pi = std::acos(-1.0);
  for (const double p : {0.01, 0.05, 0.3, 0.5, 0.95, 0.995}) {
    CHECK(student_quantile(p, 1.0) == Approx(std::tan(pi * (p - 0.5))).margin(1e-12));
    CHECK(student_quantile(p, 2.0) == Approx((2.0 * p - 1.0) / std::sqrt(2.0 * p * (1.0 - p))).margin(1e-12));
    CHECK(student_quantile(p, 1e7) == Approx(random::normal_quantile(p)).epsilon(1e-5).margin(1e-12));
    CHECK(student_quantile(p, 3.5) == Approx(-student_quantile(1.0 - p, 3.5)).margin(1e-12));
  }
  CHECK(student_quantile(0.95, 10.0) == Approx(1.812461).epsilon(1e-6));
  CHECK(student_quantile(0.975, 4.0) == Approx(2.776445).epsilon(1e-6));
}

TEST_CASE("one value of each source: the ordinary interval of the next value") {
  const std::vector<double> x = {0.1, 0.3, 0.2, 0.6};
  const std::vector<std::string> s = {"a", "b", "c", "d"};
  const auto next = predictive(x, s);
  const double variance = (0.04 + 0.0 + 0.01 + 0.09) / 3.0;
  CHECK(next.centre == Approx(0.3));
  CHECK(next.degrees == Approx(3.0));
  CHECK(next.spread == Approx(std::sqrt(1.25 * variance)));
  CHECK(next.quantile(0.95) == Approx(0.3 + 2.353363 * next.spread).epsilon(1e-6));
}

TEST_CASE("many values that agree within their sources are as few values as there are sources") {
  std::vector<double> x;
  std::vector<std::string> s;
  for (int i = 0; i < 30; ++i)
    x.push_back(i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.1 : -0.1), s.push_back(std::to_string(i % 3));
  const auto next = predictive(x, s);
  CHECK(next.n_source == 3);
  CHECK(next.degrees == Approx(2.0));
  CHECK(next.spread == Approx(0.1 * std::sqrt(4.0 / 3.0)));
}

TEST_CASE("shifted and scaled values: a shifted and scaled interval; the order does not matter") {
  const std::vector<double> x = {0.1, 0.3, 0.2, 0.6, 0.0}, y = {2.0, 1.7, 1.1, 1.4, 0.2};
  const std::vector<std::string> s = {"a", "b", "a", "c", "c"}, t = {"c", "a", "b", "a", "c"};
  const auto one = predictive(x, s), other = predictive(y, t);  // y = 2 - 3 x, listed otherwise
  CHECK(other.centre == Approx(2.0 - 3.0 * one.centre));
  CHECK(other.quantile(0.05) == Approx(2.0 - 3.0 * one.quantile(0.95)));
}

TEST_CASE("one source: each value counts for itself; one value: no spread; none: an error") {
  const std::vector<double> x = {0.1, 0.3, 0.2};
  const auto lone = predictive(x, std::vector<std::string>{"a", "a", "a"});
  CHECK(lone.n_source == 1);
  CHECK(lone.degrees == Approx(2.0));
  CHECK(lone.spread == Approx(0.1 * std::sqrt(4.0 / 3.0)));
  CHECK(predictive(std::vector{0.4}, std::vector<std::string>{"a"}).quantile(0.95) == 0.4);
  CHECK_THROWS_AS(predictive(std::vector<double>{}, std::vector<std::string>{}), std::logic_error);
}

TEST_CASE("nine in ten values of a new source lie inside; quantiles of the values alone hold fewer") {
  // Six sources of four values, the spread between sources three times that within.
  int inside = 0, inside_alone = 0;
  const int n = 2000;
  for (int trial = 0; trial < n; ++trial) {
    std::vector<double> x;
    std::vector<std::string> s;
    const auto seed = static_cast<std::uint64_t>(trial);
    const auto value = [&](std::uint64_t source, std::uint64_t i) {
      return 3.0 * random::normal(seed, random::Purpose::reading, source) +
             random::normal(seed, random::Purpose::reading, 100 + source, i);
    };
    for (std::uint64_t source = 0; source < 6; ++source)
      for (std::uint64_t i = 0; i < 4; ++i) x.push_back(value(source, i)), s.push_back(std::to_string(source));
    const auto next = predictive(x, s);
    const double v = value(50, 0);
    inside += next.quantile(0.05) <= v && v <= next.quantile(0.95);
    inside_alone += study::quantile(x, 0.05) <= v && v <= study::quantile(x, 0.95);
  }
  CHECK(inside > 0.87 * n);
  CHECK(inside < 0.93 * n);
  CHECK(inside_alone < 0.8 * n);
}
