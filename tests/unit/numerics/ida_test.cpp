#include "numerics/ida.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::DaeShape;
using numerics::Ida;

namespace {

// A capacitor behind a source and a resistor; the current is algebraic: v' = i/C, 0 = (e − v) − R i.
struct Charging final : numerics::DaeSystem {
  double source = 1.0, resistance = 2.0, capacity = 0.5;
  void equations(double, std::span<const double> y, std::span<double> out) const override {
    out[0] = y[1] / capacity;
    out[1] = source - y[0] - resistance * y[1];
  }
};

// Source behind an impedance with a constant-power load: 0 = v (e − v) − p x, no solution beyond p x = e²/4.
struct Nose final : numerics::DaeSystem {
  double product = 0.1;
  void equations(double, std::span<const double> y, std::span<double> out) const override {
    out[0] = -y[0];
    out[1] = y[1] * (1.0 - y[1]) - product;
  }
};

DaeShape shape(double rtol = 1e-8) { return {{"v", "i"}, {1.0, 1.0}, {true, false}, rtol, 20000}; }

}  // namespace

TEST_CASE("a charging capacitor follows its exponential and tightens with the tolerance") {
  double last = 1.0;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    Ida solver(shape(rtol));
    std::vector<double> y{0.0, 0.5};
    solver.advance(Charging{}, y, 1.5, 0.0);
    const double error = std::abs(y[0] - (1.0 - std::exp(-1.5)));
    CHECK(error < 50.0 * rtol);
    CHECK(error < last);
    CHECK(y[1] == Approx((1.0 - y[0]) / 2.0).epsilon(50.0 * rtol));
    last = error;
  }
}

TEST_CASE("inputs jump between steps: the algebraic value jumps, the differential one does not") {
  Ida solver(shape());
  Charging system;
  std::vector<double> y{0.0, 0.0};  // not consistent: the solver finds 0.5
  solver.make_consistent(system, y, 0.0);
  CHECK(y[0] == 0.0);
  CHECK(y[1] == Approx(0.5).epsilon(1e-7));
  solver.advance(system, y, 1.0, 0.0);
  const double before = y[0];
  system.source = 0.0;
  solver.make_consistent(system, y, 1.0);
  CHECK(y[0] == before);
  CHECK(y[1] == Approx(-before / 2.0).epsilon(1e-7));
  solver.advance(system, y, 2.0, 1.0);
  CHECK(y[0] == Approx(before * std::exp(-2.0)).epsilon(1e-6));
}

TEST_CASE("an algebraic equation without a solution is refused by name, and the values stay") {
  Ida solver({{"slow", "voltage"}, {1.0, 1.0}, {true, false}, 1e-8, 20000});
  Nose system;
  std::vector<double> y{1.0, 0.9};
  solver.make_consistent(system, y, 0.0);
  CHECK(y[1] == Approx(0.5 + std::sqrt(0.25 - 0.1)).epsilon(1e-7));
  system.product = 0.3;
  const auto kept = y;
  CHECK_THROWS_WITH(solver.make_consistent(system, y, 7.0), Catch::Contains("voltage") && Catch::Contains("7.0"));
  CHECK(y == kept);
}

TEST_CASE("the Jacobian of a linear system is its matrix") {
  const std::vector<double> y{0.3, 0.2}, typical{1.0, 1.0};
  const auto J = numerics::dae_jacobian(Charging{}, 0.0, y, typical);
  const std::vector<double> expected{0.0, 2.0, -1.0, -2.0};
  for (std::size_t i = 0; i < 4; ++i) CHECK(J[i] == Approx(expected[i]).margin(1e-9));
}

TEST_CASE("shapes that do not fit are refused") {
  CHECK_THROWS_AS(Ida({{}, {}, {}, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Ida({{"z"}, {1.0}, {false}, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Ida({{"x"}, {0.0}, {true}, 1e-6, 10}), InputError);
  Ida solver(shape());
  std::vector<double> y{0.0};
  CHECK_THROWS_AS(solver.advance(Charging{}, y, 1.0, 0.0), SolverError);
}
