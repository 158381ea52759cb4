#include "study/sensitivity.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "study/sampling.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

constexpr double a = 7.0, b = 0.1, pi = std::numbers::pi;

/// Ishigami and Homma's function: sin x1 + a sin² x2 + b x3⁴ sin x1, each x uniform in (−π, π).
double ishigami(const std::vector<double>& u) {
  const double x1 = pi * (2.0 * u[0] - 1.0), x2 = pi * (2.0 * u[1] - 1.0), x3 = pi * (2.0 * u[2] - 1.0);
  return std::sin(x1) + a * std::sin(x2) * std::sin(x2) + b * std::pow(x3, 4) * std::sin(x1);
}

std::vector<double> outputs(std::size_t n, double (*f)(const std::vector<double>&), std::size_t k) {
  std::vector<double> out;
  for (const auto& u : saltelli_design(n, k, 5)) out.push_back(f(u));
  return out;
}

}  // namespace

TEST_CASE("Sobol indices of the Ishigami function are those of its closed form") {
  const double variance = a * a / 8.0 + b * std::pow(pi, 4) / 5.0 + b * b * std::pow(pi, 8) / 18.0 + 0.5;
  const double v1 = 0.5 * std::pow(1.0 + b * std::pow(pi, 4) / 5.0, 2), v2 = a * a / 8.0;
  const double v13 = b * b * std::pow(pi, 8) * 8.0 / 225.0;
  const std::vector<double> first = {v1 / variance, v2 / variance, 0.0};
  const std::vector<double> total = {(v1 + v13) / variance, v2 / variance, v13 / variance};
  const auto got = sobol_indices(outputs(4096, ishigami, 3), 3);
  for (std::size_t d = 0; d < 3; ++d) {
    INFO("variable " << d + 1 << ": first " << got[d].first << ", total " << got[d].total);
    CHECK(got[d].first == Approx(first[d]).margin(0.01));
    CHECK(got[d].total == Approx(total[d]).margin(0.01));
    CHECK(got[d].first_low <= first[d]);
    CHECK(got[d].first_high >= first[d]);
    CHECK(got[d].total_low <= total[d]);
    CHECK(got[d].total_high >= total[d]);
  }
}

TEST_CASE("an additive function has no interactions and its first-order indices add to one") {
  const auto f = [](const std::vector<double>& u) { return 1e6 + 3.0 * u[0] + 4.0 * u[1]; };
  const auto got = sobol_indices(outputs(2048, f, 2), 2);
  CHECK(got[0].first == Approx(9.0 / 25.0).margin(2e-3));
  CHECK(got[1].first == Approx(16.0 / 25.0).margin(2e-3));
  CHECK(got[0].total == Approx(got[0].first).margin(2e-3));
}

TEST_CASE("rows of failed cases are left out, and a constant has no sensitivity") {
  auto f = outputs(1024, ishigami, 3);
  const auto whole = sobol_indices(f, 3);
  f[17] = std::nan("");
  f[3 * 1024 + 99] = std::nan("");
  const auto holed = sobol_indices(f, 3);
  for (std::size_t d = 0; d < 3; ++d) CHECK(holed[d].total == Approx(whole[d].total).margin(0.01));
  const auto flat = sobol_indices(std::vector<double>(40, 3.0), 2);
  CHECK(flat[0].first == 0.0);
  CHECK(flat[1].total == 0.0);
  CHECK_THROWS_AS(sobol_indices(std::vector<double>(41, 3.0), 2), InputError);
}

TEST_CASE("quantiles and rank correlation") {
  const std::vector<double> x = {3, 1, std::nan(""), 2, 4};
  CHECK(quantile(x, 0.0) == 1.0);
  CHECK(quantile(x, 0.5) == 2.5);
  CHECK(quantile(x, 1.0) == 4.0);
  CHECK(std::isnan(quantile(std::vector<double>{}, 0.5)));
  CHECK(rank_correlation(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 8, 27, 64}) == Approx(1.0));
  CHECK(rank_correlation(std::vector<double>{1, 2, 3}, std::vector<double>{9, 4, 1}) == Approx(-1.0));
  // By hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  CHECK(rank_correlation(std::vector<double>{1, 2, 2, 5}, std::vector<double>{1, 2, 3, 4}) ==
        Approx(4.5 / std::sqrt(4.5 * 5.0)));
  CHECK(std::isnan(rank_correlation(std::vector<double>{1, 1}, std::vector<double>{1, 2})));
}

TEST_CASE("the correlation ratio of groups is that of ranks, and has no order") {
  using Words = std::vector<std::string>;
  const std::vector<double> y = {10, 20, 300, 40};
  CHECK(correlation_ratio(Words{"a", "a", "b", "b"}, y) ==
        Approx(std::abs(rank_correlation(std::vector<double>{0, 0, 1, 1}, y))));
  CHECK(correlation_ratio(Words{"b", "b", "a", "a"}, y) == correlation_ratio(Words{"a", "a", "b", "b"}, y));
  // The middle word alone is far off: places 0, 1, 2 have no rank correlation with it.
  const std::vector<double> hill = {1.0, 1.1, 9.0, 9.1, 1.05, 1.15};
  const Words three = {"none", "none", "selective", "selective", "full", "full"};
  CHECK(std::abs(rank_correlation(std::vector<double>{0, 0, 1, 1, 2, 2}, hill)) < 0.3);
  CHECK(correlation_ratio(three, hill) == Approx(std::sqrt(13.0 / 17.5)));  // ranks 0, 2 | 4, 5 | 1, 3 around 2.5
  // Ranks 0.5 | 0.5, 2 around 1, the third left out.
  CHECK(correlation_ratio(Words{"a", "b", "a", "b"}, std::vector<double>{1, 1, std::nan(""), 2}) ==
        Approx(std::sqrt(0.375 / 1.5)));
  CHECK(std::isnan(correlation_ratio(Words{"a", "a"}, std::vector<double>{1, 2})));
  CHECK(std::isnan(correlation_ratio(Words{"a", "b"}, std::vector<double>{1, 1})));
}

TEST_CASE("a quantile lies between its two order statistics: the 5 % of 0 to 100 is 5") {
  std::vector<double> x;
  for (int i = 100; i >= 0; --i) x.push_back(i);
  CHECK(quantile(x, 0.05) == Approx(5.0));
  CHECK(quantile(x, 0.95) == Approx(95.0));
  CHECK(quantile(x, 0.123) == Approx(12.3));
}
