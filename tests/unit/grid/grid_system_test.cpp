#include "grid/grid_system.hpp"

#include "network_case.hpp"
#include "supply_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

TEST_CASE("the shipped networks are at rest: no state moves, every bus balances") {
  for (const auto& [name, bus] : {std::pair{"kundur_two_area", 7}, std::pair{"ieee39", 20}}) {
    const auto s = shipped_network(name, bus);
    std::vector<double> rate(s.rest().x.size());
    s.rates(s.rest(), rate);
    CHECK(largest(rate) < 1e-7);
    std::vector<Complex> lack(s.rest().v.size());
    s.imbalance(s.rest(), lack);
    for (const Complex i : lack) CHECK(std::abs(i) < 1e-9);
    for (std::size_t u = 0; u < s.n_unit(); ++u)
      CHECK(s.power_W(s.rest(), u) == Approx(s.flow().generated_VA[u].real()).epsilon(1e-9));
  }
}

TEST_CASE("shares of a load: power, current, impedance, and no constant power below 0.7 pu") {
  CHECK(LoadShares{1.0, 0.0}.ratio(0.8) == 1.0);
  CHECK(LoadShares{0.0, 1.0}.ratio(0.8) == Approx(0.8));
  CHECK(LoadShares{0.0, 0.0}.ratio(0.8) == Approx(0.64));
  CHECK(LoadShares{0.5, 0.25}.ratio(0.8) == Approx(0.5 + 0.2 + 0.16));
  CHECK(LoadShares{1.0, 0.0}.ratio(0.35) == Approx(0.25));
}

TEST_CASE("the mean speed weighs machines by what they store; a unit that is off counts no more") {
  auto s = shipped_network("kundur_two_area", 7);
  CHECK(s.stored_J() == Approx((2.0 * 6.5 + 2.0 * 6.175) * 900e6));
  GridState y = s.rest();
  s.part(std::span(y.x), 0)[1] = 0.01;
  CHECK(s.mean_speed_pu(y) == Approx(0.01 * 6.5 / (2.0 * 6.5 + 2.0 * 6.175)));
  s.trip_unit(1, "1");
  CHECK(s.mean_speed_pu(y) == 0.0);
  CHECK(s.power_W(y, 0) == 0.0);
  CHECK_THROWS_AS(s.trip_unit(1, "9"), InputError);
  CHECK_THROWS_AS(s.trip_branch(7, 9, "1"), InputError);
  CHECK(s.state_name(1) == "unit 1 at bus 1: speed");
}

TEST_CASE("supplies on a network are at rest with their load, and the power flow holds what their reactance takes") {
  auto s = network_with_supplies("kundur_two_area", 7, {shipped_supplies(), 200e6, 150e6});
  std::vector<double> rate(s.rest().x.size());
  s.rates(s.rest(), rate);
  CHECK(largest(rate) < 1e-7);
  std::vector<Complex> lack(s.rest().v.size());
  s.imbalance(s.rest(), lack);
  for (const Complex i : lack) CHECK(std::abs(i) < 1e-9);
  const std::size_t u = s.n_unit() - 1;
  CHECK(s.power_W(s.rest(), u) == Approx(-150e6).epsilon(1e-6));  // no resistance between bus and supplies
  CHECK(s.flow().generated_VA.back().imag() < 0.0);
  CHECK(s.state_name(s.rest().x.size() - 3) == "unit supplies at bus 7: link energy");
  CHECK_THROWS_AS(network_with_supplies("kundur_two_area", 7, {shipped_supplies(), 100e6, 5000e6}), RefusedError);
}

TEST_CASE("frequency acts back on supplies with a frequency gain: a step of load settles where their gain holds it") {
  // Two machines without governors; shafts give constant power, 0.5 pu of the base. Of 10 MW more on 100 MVA, K = 20 and the shafts
  // take ω (K + 0.5).
  const auto settled = [](double gain) {
    auto control = shipped_supplies();
    control.frequency_gain_pu = gain;
    control.frequency_deadband_Hz = 0.0;
    GridSystem s(parse_raw(two_buses(50, 0.0, "0.25"), "two.raw"),
                 parse_dyr("1 'GENCLS' 1 5 0 /\n2 'GENCLS' 1 4 0 /", "two.dyr"), 2, {}, ShaftInput::power,
                 {control, 100e6, 50e6});
    return play(s, {{0.5, 0.0}, {0.5, 10e6}}, {}, {12.0, 0.002}).mean_Hz.back();
  };
  CHECK(settled(20.0) == Approx(-60.0 * 0.1 / 20.5).epsilon(0.02));
  CHECK(settled(0.0) < -2.0);
}
