#include "grid/ieeest.hpp"

#include <complex>

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

TEST_CASE("a sine comes out with the gain of the transfer function; what does not move gives nothing") {
  auto p = model_of<Ieeest>("1 0 0.061 0.0017 0.3 0.01 0 0 0.15 0.03 0.15 0.03 10 10 4 9 -9 0 0");
  const double omega = 7.0, pi = 3.14159265358979;
  const Complex s(0.0, omega);
  const Complex H = 4.0 * (1.0 + 0.15 * s) * (1.0 + 0.15 * s) * 10.0 * s /
                    ((1.0 + 0.061 * s + 0.0017 * s * s) * (1.0 + 0.3 * s + 0.01 * s * s) * (1.0 + 0.03 * s) *
                     (1.0 + 0.03 * s) * (1.0 + 10.0 * s));
  std::vector<double> x(p.states().size(), 0.0);
  REQUIRE(x.size() == 7);
  const double whole_s = 100.0 * 2.0 * pi / omega;  // the washout is gone
  integrate(x, whole_s, 2.0 * pi / omega / 4000.0, [&](double t, const std::vector<double>& y, std::vector<double>& r) {
    p.rates(y, {std::sin(omega * t), 0.0, 1.0}, r);
  });
  CHECK(p.signal_pu(x, {0.0, 0.0, 1.0}) == Approx(H.imag()).epsilon(2e-3));
  p.rest({0.3, 0.0, 1.0}, x);
  std::vector<double> rate(x.size());
  p.rates(x, {0.3, 0.0, 1.0}, rate);
  CHECK(largest(rate) < 1e-9);
  CHECK(std::abs(p.signal_pu(x, {0.3, 0.0, 1.0})) < 1e-9);
}

TEST_CASE("a direct path acts at once, limits and cut-off voltages hold") {
  auto p = model_of<Ieeest>("3 0 0 0 0 0 0 0 0 0 0 0 2 2 5 0.1 -0.05 1.2 0.8");
  std::vector<double> x(p.states().size());
  REQUIRE(x.size() == 1);
  p.rest({0.0, 0.7, 1.0}, x);
  CHECK(p.signal_pu(x, {0.0, 0.71, 1.0}) == Approx(0.05));
  CHECK(p.signal_pu(x, {0.0, 0.9, 1.0}) == 0.1);
  CHECK(p.signal_pu(x, {0.0, 0.5, 1.0}) == -0.05);
  CHECK(p.signal_pu(x, {0.0, 0.9, 1.25}) == 0.0);
  CHECK(p.signal_pu(x, {0.0, 0.9, 0.75}) == 0.0);
}

TEST_CASE("a numerator above its denominator and inputs that are not modelled are findings") {
  CHECK(findings_of<Ieeest>("1 0 0 0 0 0 0.1 0.1 0 0 0 0 10 10 4 9 -9 0 0").size() == 1);
  CHECK(findings_of<Ieeest>("2 101 0 0 0 0 0 0 0 0 0 0 10 10 4 9 -9 0 0").size() == 2);
}
