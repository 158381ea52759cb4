#include "grid/torsional.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using grid::TorsionalScreen;

namespace {
std::vector<double> sine(double f_Hz, double amplitude_W, double duration_s) {
  std::vector<double> out(static_cast<std::size_t>(duration_s * 1000));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = amplitude_W * std::sin(6.283185307179586 * f_Hz * (static_cast<double>(i) + 0.5) * 1e-3);
  return out;
}
}  // namespace

TEST_CASE("a lasting sine at the mode reads its own amplitude, one beside it by the resonance curve") {
  const double zeta = 2e-3;
  TorsionalScreen m({{20.0, zeta}, {25.0, zeta}, {60.0, zeta}});
  m.begin(0, 0.0);
  m.push(sine(20.0, 1e6, 60.0));
  CHECK(m.findings()[0].equivalent_W == Approx(1e6).epsilon(0.01));
  CHECK(m.findings()[0].at_bin > 10'000);  // it takes its time to build up
  // off resonance: |z| of the mode's own half, ζω/|jω_0 − pole|, twice at the start of the sine
  CHECK(m.findings()[1].equivalent_W < 1e6 * 4.0 * zeta * 25.0 / 5.0);
  CHECK(m.findings()[1].equivalent_W > 1e6 * 1.0 * zeta * 25.0 / 5.0);
}

TEST_CASE("a step drives a mode as its closed form says: |z| up to 2/ω") {
  const double zeta = 1e-3;
  TorsionalScreen m({{10.0, zeta}});
  m.begin(0, 0.0);
  m.push(std::vector<double>(1000, 5e6));
  CHECK(m.findings()[0].equivalent_W == Approx(2.0 * zeta * 2.0 * 5e6).epsilon(0.01));
  CHECK_THROWS_AS(TorsionalScreen({{0.1, zeta}}), InputError);
}
