#include "numerics/linear_step.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::LinearStep;
using numerics::matrix_exponential;

TEST_CASE("a first-order lag follows its closed form, slow and fast") {
  for (const double tau_s : {1e-4, 0.02, 7.0, 3600.0, 1e7}) {
    const std::vector<double> A{-1.0 / tau_s}, B{1.0 / tau_s};
    const LinearStep lag(A, B, 1, 1, 1e-3);
    CHECK(std::abs(lag.E()[0] - std::exp(-1e-3 / tau_s)) < 1e-15);
    // 1 - e^-x keeps its relative accuracy even where E is nearly 1
    CHECK(lag.F()[0] == Approx(-std::expm1(-1e-3 / tau_s)).epsilon(1e-13));
  }
}

TEST_CASE("an oscillator turns by its angle and a chain of integrators follows Taylor") {
  const double w = 5.0, h_s = 0.3;
  const std::vector<double> turn{0.0, w, -w, 0.0};
  const LinearStep oscillator(turn, {}, 2, 0, h_s);
  CHECK(std::abs(oscillator.E()[0] - std::cos(w * h_s)) < 1e-13);
  CHECK(std::abs(oscillator.E()[1] - std::sin(w * h_s)) < 1e-13);
  CHECK(std::abs(oscillator.E()[2] + std::sin(w * h_s)) < 1e-13);

  const std::vector<double> chain{0, 1, 0, 0, 0, 1, 0, 0, 0}, force{0, 0, 1};  // singular A
  const LinearStep integrator(chain, force, 3, 1, 2.0);
  CHECK(std::abs(integrator.F()[0] - 8.0 / 6.0) < 1e-13);
  CHECK(std::abs(integrator.F()[1] - 2.0) < 1e-13);
  CHECK(std::abs(integrator.E()[2] - 2.0) < 1e-13);
}

TEST_CASE("a stiff pair follows its partial fractions") {
  // x1' = -x1 + u, x2' = 1000 (x1 - x2): x2 under a unit step from rest
  const std::vector<double> A{-1.0, 0.0, 1000.0, -1000.0}, B{1.0, 0.0};
  const double h_s = 0.7, a = 1.0, b = 1000.0;
  const LinearStep pair(A, B, 2, 1, h_s);
  const double x2 = 1.0 - (b * std::exp(-a * h_s) - a * std::exp(-b * h_s)) / (b - a);
  CHECK(std::abs(pair.F()[1] - x2) < 1e-13);
}

TEST_CASE("two steps of h are one step of 2h") {
  const std::vector<double> A{-0.2, 3.0, 0.1, -2.0, -1.0, 0.4, 0.5, 0.0, -9.0}, B{1.0, 0.0, 0.3, 2.0, -1.0, 0.5};
  const LinearStep one(A, B, 3, 2, 0.25), two(A, B, 3, 2, 0.5);
  const auto step = [](const LinearStep& by, const std::array<double, 3>& x) {
    constexpr std::array u{0.7, -1.3};
    std::array<double, 3> y{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) y[i] += by.E()[3 * i + j] * x[j];
      for (std::size_t j = 0; j < 2; ++j) y[i] += by.F()[2 * i + j] * u[j];
    }
    return y;
  };
  const std::array x{1.0, -2.0, 0.5};
  const auto twice = step(one, step(one, x)), once = step(two, x);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(twice[i] - once[i]) < 1e-14);
}

TEST_CASE("the exponential of M and of -M are inverse to each other") {
  const std::vector<double> M{1.0, 2.0, -3.0, 0.5};
  std::vector<double> minus = M;
  for (double& v : minus) v = -v;
  const auto a = matrix_exponential(M, 2), b = matrix_exponential(minus, 2);
  CHECK(std::abs(a[0] * b[0] + a[1] * b[2] - 1.0) < 1e-13);
  CHECK(std::abs(a[0] * b[1] + a[1] * b[3]) < 1e-13);
}

TEST_CASE("sizes that do not fit and values that are not finite are refused") {
  CHECK_THROWS_AS(LinearStep(std::vector<double>(4), std::vector<double>(1), 2, 1, 0.1), InputError);
  CHECK_THROWS_AS(LinearStep(std::vector<double>(1), {}, 1, 0, 0.0), InputError);
  CHECK_THROWS_AS(LinearStep(std::vector<double>{NAN}, {}, 1, 0, 0.1), InputError);
}
