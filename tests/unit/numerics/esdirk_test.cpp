#include "numerics/esdirk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/cvode.hpp"
#include "catch.hpp"
#include "ode_cases.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::Esdirk;
using namespace tidewatt::numerics;

namespace {

/// y = cos(t) whatever the stiffness (Prothero and Robinson).
struct Stiff final : numerics::OdeSystem {
  double rate_per_s = 1e6;
  void rhs(double t, std::span<const double> y, std::span<double> f) const override {
    f[0] = -rate_per_s * (y[0] - std::cos(t)) - std::sin(t);
  }
};

/// Van der Pol's oscillator, stiff on its slow branch.
struct VanDerPol final : numerics::OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    f[0] = y[1];
    f[1] = 100.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
    f[2] = y[0];
  }
};

/// A controller at its limit: the slope has a kink.
struct Kink final : numerics::OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    f[0] = std::min(1.0, 4.0 - 2.0 * y[0]);
  }
};

/// A room that its damper holds at 0 once an outdoor ramp has cooled it: proportional and integral, wound back at the damper's limits.
struct Damper final : numerics::OdeSystem {
  void rhs(double t, std::span<const double> y, std::span<double> f) const override {
    const double wanted = y[2] - 2.0 * y[0], open = std::clamp(wanted, 0.0, 1.0);
    f[0] = (10.0 - 0.02 * t - y[0]) / 5.0 + 4.0 * y[1];
    f[1] = (open - y[1]) / 2.0;
    f[2] = (2.0 * (open - wanted) - y[0]) / 10.0;
  }
};

}  // namespace

TEST_CASE("Runge-Kutta steps: decay follows its exponential, at an order of four in what it costs") {
  double last = 1.0;
  long steps = 0;
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Esdirk solver({{"x"}, {1.0}, 1, rtol, 50000});
    std::vector<double> y{1.0};
    solver.advance(Decay{}, y, 3.0, 0.0);
    const double error = std::abs(y[0] - std::exp(-3.0));
    CHECK(error < 10.0 * rtol);
    CHECK(error < 0.1 * last);
    // A hundredth of the error per step takes 100^(1/4) = 3.2 times the steps.
    if (steps > 5) CHECK(solver.n_step() < 4 * steps);
    steps = solver.n_step();
    last = error;
  }
}

TEST_CASE("Runge-Kutta steps: a fast mode costs no steps once it is at rest") {
  for (const double rate_per_s : {1e3, 1e6, 1e9}) {
    Esdirk solver({{"x"}, {1.0}, 1, 1e-6, 50000});
    Stiff system;
    system.rate_per_s = rate_per_s;
    std::vector<double> y{1.0};
    solver.advance(system, y, 10.0, 0.0);
    INFO(rate_per_s << " " << solver.n_step());
    CHECK(y[0] == Approx(std::cos(10.0)).margin(1e-5));
    CHECK(solver.n_step() < 200);
  }
}

TEST_CASE("Runge-Kutta steps: nonlinear and stiff: the same as CVODE") {
  const OdeShape shape{{"x", "v", "area"}, {1.0, 1.0, 1.0}, 2, 1e-8, 200000};
  Esdirk ours(shape);
  bench::Cvode other({shape.names, shape.typical, 2, 1e-11, 2000000});
  std::vector<double> y{2.0, 0.0, 0.0}, z = y;
  for (int k = 0; k < 5; ++k) {
    ours.advance(VanDerPol{}, y, 30.0, 30.0 * k);
    other.advance(VanDerPol{}, z, 30.0, 30.0 * k);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y[i] == Approx(z[i]).epsilon(5e-6).margin(1e-6));
  }
}

TEST_CASE("Runge-Kutta steps: through a kink to the exact time") {
  Esdirk solver({{"x"}, {1.0}, 1, 1e-7, 5000});
  std::vector<double> y{0.0};
  solver.advance(Kink{}, y, 2.5, 0.0);  // 1.5 s of rising by 1, then towards 2
  CHECK(y[0] == Approx(2.0 - 0.5 * std::exp(-2.0)).epsilon(1e-5));
}

TEST_CASE(
    "Runge-Kutta steps: where Newton is slow the slope is taken anew, at the values that the next step begins with") {
  // Taken beside the last stage's rates, which Newton leaves further off than the quotients reach, it costs twenty times the steps.
  for (const double rtol : {1e-4, 1e-5, 1e-6}) {
    Esdirk solver({{"room", "damper", "integral"}, {10.0, 1.0, 1.0}, 3, rtol, 50000});
    std::vector<double> y{5.0, 0.0, 0.0};
    solver.advance(Damper{}, y, 1800.0, 0.0);
    INFO(rtol << " " << solver.n_step());
    CHECK(y[0] == Approx(10.0 - 0.02 * 1800.0 + 20.0 + 0.02 * 5.0).epsilon(1e-4));
    CHECK(y[1] == Approx(1.0).epsilon(1e-4));
    CHECK(solver.n_step() < 300);
  }
}

TEST_CASE(
    "Runge-Kutta steps: restarts: many steps with one object, also shorter and longer ones, equal the closed form") {
  Esdirk solver({{"x"}, {1.0}, 1, 1e-9, 5000});
  std::vector<double> y{1.0};
  double t = 0.0;
  for (const double step : {0.5, 2.0, 0.01, 1.0, 0.25}) {
    solver.advance(Decay{}, y, step, t);
    t += step;
    CHECK(y[0] == Approx(std::exp(-t)).epsilon(1e-7));
  }
}

TEST_CASE("Runge-Kutta steps: a call leaves nothing behind for the next: the same bits as with a new object") {
  Esdirk used(lumps(1e-5));
  std::vector<double> y{3.0, 40.0, 0.0};
  used.advance(Lumps{}, y, 600.0, 0.0);
  used.advance(Lumps{}, y, 7.0, 600.0);
  std::vector<double> a{1.0, 2.0, 0.0}, b = a;
  used.advance(Lumps{}, a, 60.0, 0.0);
  Esdirk(lumps(1e-5)).advance(Lumps{}, b, 60.0, 0.0);
  CHECK(a == b);
}

TEST_CASE("Runge-Kutta steps: what the equations conserve is conserved to rounding, and spoiling one side shows") {
  check_conserves<Esdirk>(1e-5);
}

TEST_CASE("Runge-Kutta steps: failures name the time and the components and leave the values alone") {
  check_failures<Esdirk>();
}

TEST_CASE("Runge-Kutta steps: a step budget is a typed error; an inconsistent shape is refused") {
  OdeShape shape = lumps(1e-10);
  shape.max_steps = 3;
  Esdirk solver(shape);
  std::vector<double> y{0.0, 0.0, 0.0};
  CHECK_THROWS_AS(solver.advance(Lumps{}, y, 60.0, 0.0), SolverError);
  CHECK_THROWS_AS(Esdirk({{"x"}, {0.0}, 1, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Esdirk({{"x", "y"}, {1.0}, 1, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Esdirk({{"x"}, {1.0}, 2, 1e-6, 10}), InputError);
  CHECK_THROWS_AS(Esdirk({{"x"}, {1.0}, 1, 0.5, 10}), InputError);
}
