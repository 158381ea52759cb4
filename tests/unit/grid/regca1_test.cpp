#include "grid/regca1.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

const std::string usual = "1 0.02 10 0.9 0.4 1.22 1.2 0.9 0.5 -1.3 0.02 0.7 99 -99 0.7";

}  // namespace

TEST_CASE("commanded currents are delivered in the voltage's direction, with a lag") {
  const auto c = model_of<Regca1>(usual);
  const Complex v = std::polar(1.02, 0.4), s(0.6, 0.1);
  std::vector<double> x(3), rate(3);
  c.rest(v, s, x);
  CHECK(std::abs(v * std::conj(c.current(x, v)) - s) < 1e-12);
  c.rates(x, 1.02, x[0], x[1], rate);
  CHECK(largest(rate) < 1e-12);
  c.rates(x, 1.02, x[0] + 0.1, x[1] - 0.1, rate);
  CHECK(rate[0] == Approx(5.0));
  CHECK(rate[1] == Approx(-5.0));
  c.rates(x, 1.02, x[0] + 1.0, x[1], rate);
  CHECK(rate[0] == 10.0);  // rises no faster than its limit
}

TEST_CASE("active current leaves in a deep sag, reactive current above the overvoltage limit") {
  const auto c = model_of<Regca1>(usual);
  const std::vector<double> x{0.6, 0.1, 1.0};
  CHECK(c.current(x, 0.7).real() == Approx(0.3));
  CHECK(std::abs(c.current(x, 0.45).real()) < 1e-12);
  CHECK(c.current(x, 1.3).imag() == Approx(-(0.1 - 0.7 * 0.1)));
  std::vector<double> low{0.6, 0.0, 0.65}, rate(3);
  c.rates(low, 0.65, 0.9, 0.0, rate);
  CHECK(rate[0] == Approx((1.22 * 0.25 / 0.5 - 0.6) / 0.02));
}
