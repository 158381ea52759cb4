#include "grid/modes.hpp"

#include <algorithm>
#include <cmath>

#include "grid_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
constexpr double two_pi = 6.283185307179586;

double least_damping_frac(const LinearSystem& linear) {
  double least = 1.0;
  for (const Mode& m : linear.swing_modes()) least = std::min(least, m.damping_frac);
  return least;
}
}  // namespace

TEST_CASE("one machine against an infinite bus swings at the closed form's frequency") {
  MachineCase c = one_machine();
  c.machine.d_transient_s = {1e4, 1e4};  // the field's flux holds: the classical machine, on its q axis unsteady
  c.machine.q_pu = {0.3 + 1e-9, 0.2};    // no transient saliency: E' behind 0.3 on both axes
  c.machine.d_pu[0] = 1.5;
  const MachineSystem system(c, 1);
  const LinearSystem linear(system);
  const auto modes = linear.swing_modes();
  REQUIRE(modes.size() == 1);
  // K = E' V cos δ/X between the inner voltage and the stiff machine (0.15 on 1000 times the rating: nothing)
  const std::complex<double> i =
      std::conj(system.power_flow().machine_VA[0] / 100e6 / system.power_flow().voltage_pu[0]);
  const std::complex<double> inner = system.power_flow().voltage_pu[0] + std::complex<double>(0, 0.3) * i;
  const double delta = std::arg(inner) - std::arg(system.power_flow().voltage_pu[1]);
  const double K = std::abs(inner) * std::cos(delta) / 0.6;
  CHECK(modes[0].frequency_Hz == Approx(std::sqrt(K * two_pi * 60.0 / 8.0) / two_pi).epsilon(2e-3));
  CHECK(std::abs(modes[0].damping_frac) < 1e-3);
  CHECK(modes[0].rotor_frac > 0.95);
}

TEST_CASE("damping torque damps: ζ = D/(2·2H ω) for a machine on a stiff bus") {
  MachineCase c = one_machine();
  c.machine.d_transient_s = {1e4, 1e4};
  const auto bare = LinearSystem(MachineSystem(c, 1)).swing_modes();
  c.machine.damping_pu[0] = 5.0;
  const auto damped = LinearSystem(MachineSystem(c, 1)).swing_modes();
  REQUIRE(bare.size() == 1);
  REQUIRE(damped.size() == 1);
  const double expected = 5.0 / (2.0 * 8.0 * two_pi * bare[0].frequency_Hz);
  CHECK(damped[0].damping_frac - bare[0].damping_frac == Approx(expected).epsilon(0.02));
}

TEST_CASE("Kundur's two areas: one inter-area and two local modes, as printed") {
  const LinearSystem linear(MachineSystem(grid_case("kundur_two_area"), 7));
  const auto modes = linear.swing_modes();
  REQUIRE(modes.size() == 3);
  CHECK(modes[0].frequency_Hz == Approx(0.545).epsilon(0.05));
  CHECK(std::abs(modes[0].damping_frac - 0.032) < 0.01);
  CHECK(modes[1].frequency_Hz == Approx(1.087).epsilon(0.05));
  CHECK(modes[2].frequency_Hz == Approx(1.117).epsilon(0.05));
  CHECK(modes[0].shape_pu[0].real() * modes[0].shape_pu[2].real() < 0.0);  // areas against each other
  CHECK(modes[0].shape_pu[0].real() * modes[0].shape_pu[1].real() > 0.0);
  CHECK(modes[1].shape_pu[0].real() * modes[1].shape_pu[1].real() < 0.0);  // machines of one area
}

TEST_CASE("the 9-bus system's eigenvalues with exciters and constant-power loads, as published (recalled, to 1e-3)") {
  const LinearSystem linear(MachineSystem(grid_case("ieee9"), 5));
  const std::vector<std::complex<double>> published{{-0.7209, 12.7486}, {-0.1908, 8.3672}, {-5.4875, 7.9487},
                                                    {-5.3236, 7.9220},  {-5.2218, 7.8161}, {-0.4445, 1.2104},
                                                    {-0.4394, 0.7392},  {-0.4260, 0.4960}};
  for (const auto& s : published) {
    double nearest = 1e9;
    for (const Mode& m : linear.modes()) nearest = std::min(nearest, std::abs(m.s - s));
    INFO(s);
    CHECK(nearest < 1e-3 * std::abs(s));
  }
}

TEST_CASE("fast exciters without stabilisers take the New England system's damping: a swing grows") {
  MachineCase c = grid_case("ieee39");
  CHECK(least_damping_frac(LinearSystem(MachineSystem(c, 16))) > 0.0);
  c.exciter.kind = "static";
  c.exciter.gain_pu = 200.0;
  c.exciter.sensor_s = 0.01;
  c.exciter.regulator_s = 0.02;
  c.exciter.lead_s = 1.0;
  c.exciter.lag_s = 10.0;
  CHECK(least_damping_frac(LinearSystem(MachineSystem(c, 16))) < 0.0);
}

TEST_CASE("forced oscillation: largest at the mode, inverse to damping there, and linear in the swing") {
  const LinearSystem own(MachineSystem(grid_case("ieee39"), 16));
  const double mode_Hz = own.swing_modes().front().frequency_Hz;
  const LinearSystem light = own.with_swing_damping(0.02), heavier = own.with_swing_damping(0.04);
  CHECK(light.swing_modes().front().damping_frac == Approx(0.02).epsilon(1e-6));
  CHECK(light.swing_modes().front().frequency_Hz == Approx(mode_Hz).epsilon(0.01));
  const double period_s = 1.0 / mode_Hz;
  const auto at = forced_oscillation(light, 50e6, period_s, 0.5);
  CHECK(at.peak_to_peak_rad > 3.0 * forced_oscillation(light, 50e6, period_s + 0.6, 0.5).peak_to_peak_rad);
  CHECK(at.peak_to_peak_rad / forced_oscillation(heavier, 50e6, period_s, 0.5).peak_to_peak_rad ==
        Approx(2.0).epsilon(0.15));
  CHECK(forced_oscillation(light, 100e6, period_s, 0.5).peak_to_peak_Hz ==
        Approx(2.0 * at.peak_to_peak_Hz).epsilon(1e-9));
  CHECK_THROWS_AS(forced_oscillation(light, 1e6, 1.0, 1.0), InputError);
}
