#pragma once
// Systems that every solver of numerics is tested with, and what each must do with them.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "numerics/ode.hpp"
#include "tidewatt/base/error.hpp"

namespace tidewatt::numerics {

/// Two lumps that exchange heat (1 s and 100 s time constants) and a meter of what flowed.
struct Lumps final : OdeSystem {
  double input_W = 100.0, spoil = 1.0;
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    const double flow_W = y[0] - y[1] / 100.0;
    const double out_W = y[1] / 1000.0;
    f[0] = input_W - flow_W;
    f[1] = flow_W * spoil - out_W;
    f[2] = out_W;
  }
};

inline OdeShape lumps(double rtol = 1e-8) { return {{"small", "large", "out"}, {100.0, 1e4, 1e4}, 2, rtol, 5000}; }

struct Decay final : OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override { f[0] = -y[0]; }
};

struct Blows final : OdeSystem {
  void rhs(double, std::span<const double> y, std::span<double> f) const override {
    f[0] = y[0] > 1.5 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    f[1] = 0.0;
  }
};

template <class Solver>
void check_conserves(double rtol) {
  for (const double spoil : {1.0, 1.0 + 1e-6}) {
    Solver solver(lumps(rtol));
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

template <class Solver>
void check_failures() {
  Solver solver({{"bomb", "calm"}, {1.0, 1.0}, 2, 1e-6, 5000});
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

}  // namespace tidewatt::numerics
