#include "grid/synchronous_unit.hpp"

#include "grid/gencls.hpp"
#include "grid/genrou.hpp"
#include "grid/ieeest.hpp"
#include "grid/sexs.hpp"
#include "grid/tgov1.hpp"
#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

SynchronousUnit whole(ShaftInput shaft) {
  return SynchronousUnit(
      std::make_unique<Genrou>(
          model_of<Genrou>("8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0.04 0.22", 0.0025, 60.0)),
      std::make_unique<Sexs>(model_of<Sexs>("1 10 200 0.02 -6 6")),
      std::make_unique<Tgov1>(model_of<Tgov1>("0.05 0.5 1.2 0 2.1 7 0")),
      std::make_unique<Ieeest>(model_of<Ieeest>("1 0 0 0 0 0 0 0 0.05 0.02 3 5.4 10 10 20 0.2 -0.2 0 0")), shaft);
}

}  // namespace

TEST_CASE("a machine with all its controls is at rest where it delivers its power") {
  auto u = whole(ShaftInput::power);
  CHECK(u.states().size() == 6 + 2 + 2 + 3);
  std::vector<double> x(u.states().size()), rate(x.size());
  const Complex v = std::polar(1.02, 0.2), s(0.8, 0.15);
  u.rest(v, s, x);
  u.rates(x, v, rate);
  CHECK(largest(rate) < 1e-9);
  CHECK(std::abs(v * std::conj(u.current(x, v)) - s) < 1e-12);
}

TEST_CASE("above nominal speed the same power is less torque") {
  const Complex v = std::polar(1.02, 0.2), s(0.8, 0.15);
  double rate_of[2];
  for (const ShaftInput shaft : {ShaftInput::power, ShaftInput::torque}) {
    auto u = whole(shaft);
    std::vector<double> x(u.states().size()), rate(x.size());
    u.rest(v, s, x);
    x[1] = 0.01;
    u.rates(x, v, rate);
    rate_of[shaft == ShaftInput::torque] = rate[1];
  }
  CHECK(rate_of[0] - rate_of[1] == Approx(0.8 * (1.0 / 1.01 - 1.0) / 13.0).epsilon(0.01));
}

TEST_CASE("the stabiliser raises the field of a machine that runs fast") {
  auto u = whole(ShaftInput::power);
  std::vector<double> x(u.states().size()), rate(x.size());
  u.rest(1.0, Complex(0.8, 0.1), x);
  x[1] = 1e-4;
  u.rates(x, 1.0, rate);
  CHECK(rate[7] > 0.0);
  CHECK(rate[8] < 0.0);  // and the governor closes its valve
}

TEST_CASE("without controls field and mechanical power stay") {
  SynchronousUnit u(std::make_unique<Gencls>(model_of<Gencls>("3 0", Complex(0.0, 0.3), 60.0)), nullptr, nullptr,
                    nullptr, ShaftInput::torque);
  std::vector<double> x(3), rate(3);
  u.rest(1.0, Complex(0.5, 0.0), x);
  x[1] = 0.02;
  u.rates(x, 1.0, rate);
  CHECK(rate[1] == Approx(0.0).margin(1e-12));
  CHECK(u.readout(x, 1.0).mechanical_pu == Approx(0.5));
  CHECK(u.inertia_s() == 3.0);
}
