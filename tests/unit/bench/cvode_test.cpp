#include "bench/cvode.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "ode_cases.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using bench::Cvode;
using namespace tidewatt::numerics;

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
  check_conserves<Cvode>(1e-8);
}

TEST_CASE("failures name the time and the components and leave the values alone") { check_failures<Cvode>(); }

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
