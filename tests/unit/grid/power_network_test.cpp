#include "grid/power_network.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

TEST_CASE("a line between two held voltages carries V² sin δ/X") {
  const auto n = parse_raw(two_buses(80), "two.raw");
  const NetworkFlow f = solve_network(n);
  CHECK(f.mismatch_pu < 1e-10);
  CHECK(std::arg(f.voltage_pu[1]) == Approx(std::asin(0.8 * 0.3)).epsilon(1e-9));
  CHECK(f.generated_VA[0].real() == Approx(-80e6).epsilon(1e-9));
  // Reactive power is the same from both ends: (1 − cos δ)/X.
  CHECK(f.generated_VA[0].imag() == Approx((1.0 - std::sqrt(1.0 - 0.24 * 0.24)) / 0.3 * 100e6).epsilon(1e-9));
  CHECK(f.generated_VA[1].imag() == Approx(f.generated_VA[0].imag()).epsilon(1e-9));
}

TEST_CASE("a transformer's ratio and angle turn the voltage behind it, and an open one is not there") {
  auto n = parse_raw(two_buses(0), "two.raw");
  n.generator[1].in_service = false;
  n.branch[0].ratio = std::polar(1.05, 0.1);
  const NetworkFlow f = solve_network(n);
  CHECK(std::abs(f.voltage_pu[1]) == Approx(1.0 / 1.05).epsilon(1e-9));
  CHECK(std::arg(f.voltage_pu[1]) == Approx(-0.1).epsilon(1e-9));
  n.branch[0].in_service = false;
  CHECK(admittance(n)[0] == Complex(0.0));
}

TEST_CASE(
    "units of one bus share reactive power as the file says, else by rating; active power of the slack by rating") {
  auto n = parse_raw(two_buses(80), "two.raw");
  auto more = n.generator[1];
  more.id = "2";
  more.power_VA = {0.0, 30e6};
  n.generator[1].power_VA = {80e6, 10e6};
  n.generator.push_back(more);
  auto f = solve_network(n);
  CHECK(f.generated_VA[2].imag() == Approx(3.0 * f.generated_VA[1].imag()).epsilon(1e-9));
  CHECK(f.generated_VA[1].real() == Approx(80e6).epsilon(1e-12));
  n.generator[1].power_VA = {80e6, -10e6};
  n.generator[2].rating_VA = 300e6;
  f = solve_network(n);
  CHECK(f.generated_VA[2].imag() == Approx(3.0 * f.generated_VA[1].imag()).epsilon(1e-9));
}

TEST_CASE("what cannot be supplied is refused; a network needs one swing bus") {
  CHECK_THROWS_AS(solve_network(parse_raw(two_buses(400), "two.raw")), RefusedError);
  auto n = parse_raw(two_buses(80), "two.raw");
  n.bus[0].kind = PowerNetwork::BusKind::machine;
  CHECK_THROWS_AS(solve_network(n), InputError);
  CHECK_THROWS_WITH(n.bus_index(4), Catch::Matchers::Contains("nearest number is 2"));
}
