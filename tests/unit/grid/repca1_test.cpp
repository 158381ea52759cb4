#include "grid/repca1.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

std::string plant(const std::string& flags, const std::string& droop = "20 10") {
  return "0 0 0 '0 ' " + flags +
         " 0.02 2 5 0 0.05 0 0 0 0.02 0.1 -0.1 0 0 0.43 -0.43 1 0.5 0.25 -0.0006 0.0006 99 -99 1 0 0.1 " + droop;
}

}  // namespace

TEST_CASE("at rest the orders are what flows, and nothing moves") {
  for (const char* flags : {"0 0 0", "0 1 1", "1 1 0"}) {
    auto c = model_of<Repca1>(plant(flags), 60.0);
    std::vector<double> x(Repca1::n_state), rate(Repca1::n_state);
    const Complex v = std::polar(1.01, 0.3), s(0.5, 0.1);
    c.rest(v, s, x);
    CHECK(c.orders(x, v, s).active_pu == Approx(0.5));
    CHECK(c.orders(x, v, s).reactive_pu == Approx(0.1));
    c.rates(x, v, s, rate);
    CHECK(largest(rate) < 1e-12);
  }
}

TEST_CASE("a voltage below its reference orders reactive power until it is back") {
  auto c = model_of<Repca1>(plant("0 1 0"), 60.0);
  std::vector<double> x(Repca1::n_state);
  const Complex s(0.5, 0.1);
  c.rest(1.0, s, x);
  integrate(x, 0.5, 1e-3,
            [&](double, const std::vector<double>& y, std::vector<double>& r) { c.rates(y, 0.99, s, r); });
  // K_p e + K_i e t, filters of 20 and 50 ms behind.
  CHECK(c.orders(x, 0.99, s).reactive_pu == Approx(0.1 + 0.01 * (2.0 + 5.0 * 0.5)).epsilon(0.05));
}

TEST_CASE("a voltage that turns backwards is a low frequency: the droop beyond the deadband orders active power up") {
  auto c = model_of<Repca1>(plant("0 0 1"), 60.0);
  std::vector<double> x(Repca1::n_state);
  const Complex s(0.5, 0.0);
  c.rest(1.0, s, x);
  const double low = -0.003;  // pu
  integrate(x, 0.6, 1e-4, [&](double t, const std::vector<double>& y, std::vector<double>& r) {
    c.rates(y, std::polar(1.0, low * 376.991118 * t), s, r);
  });
  const double e = 10.0 * (0.003 - 0.0006);
  CHECK(c.orders(x, std::polar(1.0, low * 376.991118 * 0.6), s).active_pu ==
        Approx(0.5 + e * (1.0 + 0.5 * 0.6)).epsilon(0.04));
}

TEST_CASE("a plant that measures elsewhere is a finding") {
  auto values = plant("0 0 0");
  values[0] = '7';
  CHECK(findings_of<Repca1>(values, 60.0).size() == 1);
}
