#include "validate/swing.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/frequency.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using namespace tidewatt::validate;

namespace {
// Residual of the differential equation by central differences.
double residual(const SwingResponse& s, double H, double D, double R, double T, double p, double t) {
  const double h = 1e-4;
  const double a = s.deviation_pu(t - h), b = s.deviation_pu(t), c = s.deviation_pu(t + h);
  return (a - 2 * b + c) / (h * h) + (1 / T + D / (2 * H)) * (c - a) / (2 * h) + (D + 1 / R) / (2 * H * T) * b +
         p / (2 * H * T);
}
}  // namespace

TEST_CASE("the closed form solves its equation, oscillating, creeping and between") {
  struct Set {
    double H, D, R, T;
  };
  const double critical_T = 10.0 / (std::sqrt(21.0) + std::sqrt(20.0)) / (std::sqrt(21.0) + std::sqrt(20.0));
  for (const Set& q : {Set{5, 1, 0.05, 0.5}, Set{5, 1, 0.05, 8.0}, Set{5, 30, 1.0, 0.3}, Set{5, 30, 1.0, 0.05},
                       Set{5, 1, 0.05, critical_T}}) {
    const SwingResponse s(q.H, q.D, q.R, q.T, 0.04);
    for (const double t : {0.2, 1.0, 4.0}) CHECK(std::abs(residual(s, q.H, q.D, q.R, q.T, 0.04, t)) < 2e-6);
    CHECK(s.deviation_pu(0.0) == Approx(0.0).margin(1e-15));
    CHECK(s.deviation_pu(1e-7) / 1e-7 == Approx(s.rocof_per_s()).epsilon(1e-5));
    CHECK(s.deviation_pu(500.0) == Approx(s.settled_pu()).epsilon(1e-9));
    if (!s.turns()) continue;
    CHECK(s.deviation_pu(s.turn_s() - 1e-3) > s.turn_pu());
    CHECK(s.deviation_pu(s.turn_s() + 1e-3) > s.turn_pu());
  }
  CHECK(SwingResponse(5, 1, 0.05, 0.5, 0.04).turns());
  CHECK_FALSE(SwingResponse(5, 30, 1.0, 0.01, 0.04).turns());
  CHECK_THROWS_AS(SwingResponse(0, 1, 0.05, 0.5, 0.04), InputError);
}

TEST_CASE("the frequency model meets the closed form to 1e-9: slope, nadir, its time and the end") {
  const FrequencyParams p{60.0, 60e9, 5.0, 1.0, 0.05, 0.6, 0.0, 0.0, 1.0};
  const Frequency model(p);
  const double step_W = 2.6e9;
  const SwingResponse s(5.0, 1.0, 0.05, 0.6, step_W / 60e9);
  const FrequencyTurn turn = model.first_turn(step_W);
  CHECK(-model.initial_rocof_Hz_per_s(step_W) == Approx(60.0 * s.rocof_per_s()).epsilon(1e-12));
  CHECK(turn.deviation_Hz == Approx(60.0 * s.turn_pu()).epsilon(1e-9));
  CHECK(turn.time_s == Approx(s.turn_s()).epsilon(1e-9));
  CHECK_THROWS_AS(model.first_turn(0.0), RefusedError);
}
