#include "grid/reecb1.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

std::string control(const std::string& flags, const std::string& I_max = "1.11") {
  return "0 " + flags + " -99 99 0.02 -0.05 0.05 2 1.1 -1.1 0 0.05 0.44 -0.44 1.05 0.9 0 0.5 2 5 0.02 0.5 -0.5 1 0 " +
         I_max + " 0.02";
}

}  // namespace

TEST_CASE("at rest every combination of flags commands what flows, and nothing moves") {
  for (const char* flags : {"0 0 0 0", "0 0 1 0", "0 1 1 0", "1 1 1 1", "1 0 0 1"}) {
    auto c = model_of<Reecb1>(control(flags));
    std::vector<double> x(Reecb1::n_state), rate(Reecb1::n_state);
    const Complex s(0.6, 0.12);
    c.rest(1.0, s, x);
    // Voltage control inside (Q order as a voltage) holds the voltage instead of Q.
    const bool as_voltage = std::string(flags) == "0 0 1 0";
    const Reecb1::Input in{1.0, s, 0.6, as_voltage ? 1.0 : 0.12};
    const auto out = c.command(x, in);
    CAPTURE(flags);
    CHECK(out.active_pu == Approx(0.6));
    CHECK(out.reactive_pu == Approx(0.12));
    c.rates(x, in, rate);
    if (!as_voltage) CHECK(largest(rate) < 1e-12);
  }
}

TEST_CASE("a sag beyond the deadband brings K_qv of itself as reactive current") {
  auto c = model_of<Reecb1>(control("0 0 0 0"));
  std::vector<double> x(Reecb1::n_state);
  c.rest(1.0, Complex(0.3, 0.0), x);
  x[0] = 0.8;
  CHECK(c.command(x, {0.8, 0.3, 0.3, 0.0}).reactive_pu == Approx(2.0 * 0.15));
  x[0] = 0.97;
  CHECK(c.command(x, {0.97, 0.3, 0.3, 0.0}).reactive_pu == Approx(0.0));
}

TEST_CASE("the current limit leaves what its priority says") {
  for (const bool p_first : {false, true}) {
    auto c = model_of<Reecb1>(control(p_first ? "0 0 0 1" : "0 0 0 0", "1.0"));
    std::vector<double> x(Reecb1::n_state);
    c.rest(1.0, Complex(0.9, 0.8), x);
    const auto out = c.command(x, {1.0, Complex(0.9, 0.8), 0.9, 0.8});
    CHECK(std::hypot(out.active_pu, out.reactive_pu) == Approx(1.0));
    CHECK((p_first ? out.active_pu : out.reactive_pu) == Approx(p_first ? 0.9 : 0.8));
  }
}

TEST_CASE("ordered power moves with its rate limits, within its bounds") {
  auto c = model_of<Reecb1>(control("0 0 0 0"));
  std::vector<double> x(Reecb1::n_state), rate(Reecb1::n_state);
  c.rest(1.0, Complex(0.6, 0.0), x);
  c.rates(x, {1.0, 0.6, 1.5, 0.0}, rate);
  CHECK(rate[2] == 0.5);
  c.rates(x, {1.0, 0.6, 0.605, 0.0}, rate);
  CHECK(rate[2] == Approx(0.25));
}
