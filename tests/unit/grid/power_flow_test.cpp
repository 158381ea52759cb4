#include "grid/power_flow.hpp"

#include <cmath>

#include "grid_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("two buses: the angle and reactive power are the closed form's") {
  const PowerFlow f = solve_power_flow(one_machine());
  const double delta = std::asin(0.8 * 0.3);  // P = V² sin δ/X
  CHECK(std::arg(f.voltage_pu[0]) - std::arg(f.voltage_pu[1]) == Approx(delta).epsilon(1e-9));
  CHECK(f.machine_VA[0].imag() == Approx((1.0 - std::cos(delta)) / 0.3 * 100e6).epsilon(1e-9));
  CHECK(f.machine_VA[1].real() == Approx(0.0).margin(1.0));  // load and transfer meet at the slack bus, no losses
}

TEST_CASE("published operating points: two-area, 9-bus and New England systems to the printed digit") {
  const PowerFlow kundur = solve_power_flow(grid_case("kundur_two_area"));
  const double kundur_Mvar[] = {185, 235, 176, 202};  // as printed
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(kundur.machine_VA[k].imag() / 1e6 - kundur_Mvar[k]) < 0.6);
  const PowerFlow nine = solve_power_flow(grid_case("ieee9"));
  CHECK(nine.machine_VA[0].real() / 1e6 == Approx(71.64).margin(0.01));
  CHECK(nine.machine_VA[0].imag() / 1e6 == Approx(27.05).margin(0.01));
  CHECK(nine.machine_VA[2].imag() / 1e6 == Approx(-10.86).margin(0.01));
  const PowerFlow england = solve_power_flow(grid_case("ieee39"));
  CHECK(england.machine_VA[1].real() / 1e6 == Approx(520.81).margin(0.05));  // the slack machine
  CHECK(england.machine_VA[0].imag() / 1e6 == Approx(88.28).margin(0.05));
  CHECK(england.mismatch_pu < 1e-10);
}

TEST_CASE("power balances: generation equals load and series losses") {
  const MachineCase c = grid_case("ieee39");
  const PowerFlow f = solve_power_flow(c);
  double generated_W = 0.0, drawn_W = 0.0, lost_W = 0.0;
  for (const auto& s : f.machine_VA) generated_W += s.real();
  for (const double W : c.bus.load_W) drawn_W += W;
  for (std::size_t k = 0; k < c.branch.from.size(); ++k) {
    const auto a = f.voltage_pu[c.bus_index(c.branch.from[k])] / c.branch.tap_ratio[k];
    const auto b = f.voltage_pu[c.bus_index(c.branch.to[k])];
    lost_W +=
        std::norm((a - b) / std::complex<double>(c.branch.r_pu[k], c.branch.x_pu[k])) * c.branch.r_pu[k] * c.base_VA;
  }
  CHECK(generated_W == Approx(drawn_W + lost_W).epsilon(1e-10));
}

TEST_CASE("a load beyond what the line carries is refused with the reason") {
  CHECK_NOTHROW(solve_power_flow(one_machine(320e6)));  // 1/0.3 = 333 MW is the most
  CHECK_THROWS_AS(solve_power_flow(one_machine(340e6)), RefusedError);
}
