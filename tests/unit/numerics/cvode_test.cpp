#include "numerics/cvode.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::Cvode;
using numerics::OdeShape;

namespace {

// Two lumps that exchange heat (1 s and 100 s time constants) and a meter of what flowed.
struct Lumps final : numerics::OdeSystem {
  double input_W = 100.0, spoil = 1.0;
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    const double flow_W = y[0] - y[1] / 100.0;
    const double out_W = y[1] / 1000.0;
    f[0] = input_W - flow_W;
    f[1] = flow_W * spoil - out_W;
    f[2] = out_W;
  }
};

OdeShape lumps(double rtol = 1e-8) { return {{"small", "large", "out"}, {100.0, 1e4, 1e4}, 2, rtol, 5000}; }

struct Decay final : numerics::OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override { f[0] = -y[0]; }
};

struct Blows final : numerics::OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    f[0] = y[0] > 1.5 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    f[1] = 0.0;
  }
};

}  // namespace

TEST_CASE("decay follows its exponential and tightens with the tolerance") {
  double last = 1.0;
  for (const double rtol : {1e-4, 1e-6, 1e-9}) {
    Cvode solver({{"x"}, {1.0}, 1, rtol, 5000});
    std::vector<double> y{1.0};
    solver.advance(Decay{}, y, 3.0, 0.0);
    const double error = std::abs(y[0] - std::exp(-3.0));
    CHECK(error < 30.0 * rtol);
    CHECK(error < last);
    last = error;
  }
}

TEST_CASE("restarts: many steps with one object, also shorter and longer ones, equal the closed form") {
  Cvode solver({{"x"}, {1.0}, 1, 1e-9, 5000});
  std::vector<double> y{1.0};
  double t = 0.0;
  for (const double step : {0.5, 2.0, 0.01, 1.0, 0.25}) {  // a stale stop time would end a longer step early
    solver.advance(Decay{}, y, step, t);
    t += step;
    CHECK(y[0] == Approx(std::exp(-t)).epsilon(1e-6));
  }
}

TEST_CASE("what the equations conserve is conserved to rounding, and spoiling one side shows") {
  for (const double spoil : {1.0, 1.0 + 1e-6}) {
    Cvode solver(lumps());
    Lumps system;
    system.spoil = spoil;
    std::vector<double> y{0.0, 0.0, 0.0};
    for (int k = 0; k < 200; ++k) solver.advance(system, y, 60.0, 60.0 * k);
    const double in_J = 100.0 * 60.0 * 200;
    const double closure = std::abs(in_J - y[0] - y[1] - y[2]) / in_J;
    if (spoil == 1.0)
      CHECK(closure < 1e-13);
    else
      CHECK(closure > 1e-7);
  }
}

TEST_CASE("failures name the time and the components and leave the values alone") {
  Cvode solver({{"bomb", "calm"}, {1.0, 1.0}, 2, 1e-6, 5000});
  std::vector<double> y{1.0, 7.0};
  try {
    solver.advance(Blows{}, y, 10.0, 1234.5);
    FAIL("a right-hand side that is not a number must not pass");
  } catch (const SolverError& e) {
    CHECK_THAT(e.what(), Catch::Contains("1234.5"));
    CHECK_THAT(e.what(), Catch::Contains("bomb"));
  }
  CHECK(y == std::vector<double>{1.0, 7.0});
  std::vector<double> bad{std::nan(""), 0.0};
  CHECK_THROWS_AS(solver.advance(Blows{}, bad, 1.0, 0.0), SolverError);
  y = {0.0, 0.0};
  CHECK_NOTHROW(solver.advance(Blows{}, y, 1.0, 0.0));  // usable after a failure
  CHECK(y[0] == Approx(1.0));
}

TEST_CASE("a step budget is a typed error") {
  OdeShape shape = lumps(1e-10);
  shape.max_steps = 3;
  Cvode solver(shape);
  std::vector<double> y{0.0, 0.0, 0.0};
  CHECK_THROWS_AS(solver.advance(Lumps{}, y, 60.0, 0.0), SolverError);
}

TEST_CASE("an inconsistent shape is refused") {
  CHECK_THROWS_AS(Cvode({{"x"}, {0.0}, 1, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Cvode({{"x", "y"}, {1.0}, 1, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Cvode({{"x"}, {1.0}, 2, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Cvode({{"x"}, {1.0}, 1, 0.5, 10}), InputError);
}
