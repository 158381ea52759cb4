#include "tidewatt/grid/source.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using grid::Source;

namespace {
const grid::SourceParams weak{138e3, 500e6, 12.0, 1.02};

// Newton's method on the complex power balance v̄ conj((v̄_0 − v̄)/z̄) = p + jq, unknowns Re v, Im v; an independent
// solution.
double newton_pu(double p, double q, double v0, double r, double x) {
  double a = v0, b = 0.0;
  const std::complex<double> y = 1.0 / std::complex<double>(r, x);
  for (int i = 0; i < 60; ++i) {
    const auto f = [&](double re, double im) {
      const std::complex<double> v(re, im);
      return v * std::conj((v0 - v) * y) - std::complex<double>(p, q);
    };
    const double h = 1e-7;
    const auto at = f(a, b), da = (f(a + h, b) - f(a - h, b)) / (2 * h), db = (f(a, b + h) - f(a, b - h)) / (2 * h);
    const double det = da.real() * db.imag() - da.imag() * db.real();
    a -= (at.real() * db.imag() - at.imag() * db.real()) / det;
    b -= (da.real() * at.imag() - da.imag() * at.real()) / det;
  }
  return std::hypot(a, b);
}
}  // namespace

TEST_CASE("the voltage solves the power balance that Newton's method solves") {
  const Source s(weak);
  for (const double p_W : {-80e6, 0.0, 20e6, 100e6, 180e6})
    for (const double q_var : {-30e6, 0.0, 40e6}) {
      const auto v = s.voltage_pu(p_W, q_var);
      REQUIRE(v);
      CHECK(*v == Approx(newton_pu(p_W / 500e6, q_var / 500e6, 1.02, s.r_pu(), s.x_pu())).epsilon(1e-11));
    }
  CHECK(*s.voltage_pu(0.0, 0.0) == Approx(1.02).epsilon(1e-15));
}

TEST_CASE("small changes move the voltage by (R dP + X dQ)/V^2") {
  const Source s({138e3, 5000e6, 15.0, 1.0});
  const double v = *s.voltage_pu(0.0, 0.0);
  const double dP_W = 1e6, dQ_var = 0.5e6;
  const double expected = (s.r_pu() * dP_W + s.x_pu() * dQ_var) / 5000e6;
  CHECK(v - *s.voltage_pu(dP_W, dQ_var) == Approx(expected).epsilon(1e-3));
}

TEST_CASE("the nose of the curve is where the solution ends") {
  const Source s(weak);
  for (const double t : {-0.2, 0.0, 0.3}) {
    const double nose_W = s.max_power_W(t);
    CHECK(s.voltage_pu(nose_W * (1 - 1e-9), nose_W * t * (1 - 1e-9)));
    CHECK(!s.voltage_pu(nose_W * (1 + 1e-9), nose_W * t * (1 + 1e-9)));
  }
  const Source lossless({138e3, 500e6, 1e6, 1.0});  // pure reactance, unity power factor: V²/(2X)
  CHECK(lossless.max_power_W(0.0) == Approx(250e6).epsilon(1e-5));
}

TEST_CASE("a chunk equals its single values and refuses the first bin beyond the limit") {
  const Source s(weak);
  std::vector<double> p_W(3000), q_var(3000), v_pu(3000);
  for (std::size_t i = 0; i < p_W.size(); ++i) {
    p_W[i] = 40e6 * static_cast<double>(i % 5);
    q_var[i] = 0.1 * p_W[i];
  }
  grid::VoltageMeters m;
  s.voltage_pu(p_W, q_var, v_pu, m);
  for (std::size_t i = 0; i < 3000; i += 7) REQUIRE(v_pu[i] == *s.voltage_pu(p_W[i], q_var[i]));
  CHECK(m.min_pu == *s.voltage_pu(160e6, 16e6));
  CHECK(m.max_pu == *s.voltage_pu(0.0, 0.0));
  p_W[1234] = 400e6;
  CHECK_THROWS_WITH(s.voltage_pu(p_W, q_var, v_pu, m, 10'000),
                    Catch::Contains("voltage-stability limit") && Catch::Contains("11.234 s"));
}

TEST_CASE("a load whose reactive power alone breaks the source is refused, too") {
  CHECK(!Source(weak).voltage_pu(0.0, 10'000e6));
  CHECK_THROWS_AS(Source({0.0, 1e6, 3.0, 1.0}), InputError);
}

TEST_CASE(
    "loadability: the slope is the voltage's own, it steepens to the nose, beyond it the load is refused with the "
    "reason") {
  const Source s({138e3, 2e9, 12.0, 1.02});
  const double t = 0.2, step_W = 1e3;
  const auto at = s.require(400e6, 80e6);
  const double up = *s.voltage_pu(400e6 + step_W, t * (400e6 + step_W)),
               down = *s.voltage_pu(400e6 - step_W, t * (400e6 - step_W));
  CHECK(at.droop_pu_per_W == Approx((up - down) / (2 * step_W)).epsilon(1e-5));
  CHECK(at.nose_W == Approx(s.max_power_W(t)));
  CHECK(at.margin_frac == Approx(1.0 - 400e6 / at.nose_W));
  CHECK(at.short_circuit_ratio == Approx(2e9 / std::hypot(400e6, 80e6)));
  CHECK(s.require(0.999 * at.nose_W, t * 0.999 * at.nose_W).droop_pu_per_W < 10.0 * at.droop_pu_per_W);
  CHECK_THROWS_AS(s.require(1.001 * at.nose_W, t * 1.001 * at.nose_W), RefusedError);
  CHECK_THROWS_WITH(s.require(0.9 * at.nose_W, t * 0.9 * at.nose_W, 0.2),
                    Catch::Contains("too near the nose") && Catch::Contains("MVA"));
}
