#include "grid/machine_system.hpp"

#include <cmath>

#include "grid/modes.hpp"
#include "grid_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("every case stands still at its power flow") {
  for (const char* name : {"kundur_two_area", "ieee9", "ieee39"}) {
    const MachineSystem system(grid_case(name), name == std::string("ieee39") ? 16 : 7);
    std::vector<double> out(system.rest().size());
    system.equations(0.0, system.rest(), out);
    for (const double r : out) CHECK(std::abs(r) < 1e-9);
  }
  const MachineSystem still(grid_case("ieee9"), 5);
  const std::vector<SiteSegment> nothing{{5.0, 0.0, 0.0}};
  const SystemRun run = still.run(nothing);
  for (const double f : run.frequency_Hz) CHECK(std::abs(f) < 1e-6);
}

TEST_CASE("a step of load: the inertia-weighted speed falls at ΔP/2H, since the network and loads meet the rest") {
  const MachineSystem system(grid_case("ieee9"), 5);
  const double step_W = 10e6, after_s = 0.02;
  const SystemRun run = system.run(std::vector<SiteSegment>{{after_s, step_W, 0.0}}, 1e-8);
  double f_Hz = 0.0, stored_J = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    f_Hz += system.inertia_frac(k) * run.frequency_Hz[k];
    stored_J += system.machine_case().machine.inertia_s[k] * system.machine_case().machine.rating_VA[k];
  }
  const double rocof = -f_Hz / after_s, expected = 60.0 * step_W / (2.0 * stored_J);
  CHECK(rocof > expected);  // constant-power loads do not give way, and the lines lose more
  CHECK(rocof < 1.05 * expected);
}

TEST_CASE("small waveforms: the nonlinear run follows the linear system's gain") {
  const MachineSystem system(grid_case("kundur_two_area"), 7);
  const LinearSystem linear(system);
  // 40 steps per period of a sine at 1 Hz, long after the start
  const double f_Hz = 1.0, amplitude_W = 1e6;
  std::vector<SiteSegment> wave;
  for (int i = 0; i < 40 * 30; ++i)
    wave.push_back({1.0 / 40, amplitude_W * std::sin(2 * 3.14159265358979 * f_Hz * (i + 0.5) / 40), 0.0});
  const SystemRun run = system.run(wave, 1e-7);
  double re = 0.0, im = 0.0;
  for (std::size_t i = 40 * 20; i < run.time_s.size(); ++i) {
    const double angle = 2 * 3.14159265358979 * f_Hz * run.time_s[i];
    const double between_Hz = run.frequency_Hz[4 * i] - run.frequency_Hz[4 * i + 2];  // the common drift falls out
    re += between_Hz * std::cos(angle);
    im += between_Hz * std::sin(angle);
  }
  const double got = 2.0 * std::hypot(re, im) / (40.0 * 10.0);
  const auto gain = linear.gain(f_Hz).frequency_Hz;
  CHECK(got == Approx(amplitude_W * std::abs(gain[0] - gain[2])).epsilon(0.04));
}

TEST_CASE("a governor ends a step at droop, exciters hold the voltage") {
  MachineCase c = grid_case("ieee9");
  c.governor = {{0.05, 0.05, 0.05}, 0.2, 1.0, 4.0};
  c.load.active_power_frac = 1.0;
  const MachineSystem system(c, 5);
  const SystemRun run = system.run(std::vector<SiteSegment>{{120.0, 5e6, 0.0}});
  // three machines of 100 MVA at 5 %: 6000 MW per unit of speed; losses change a little
  CHECK(run.frequency_Hz[0] == Approx(-60.0 * 0.05 * 5.0 / 300.0).epsilon(0.05));
  CHECK(run.frequency_Hz[0] == Approx(run.frequency_Hz[2]).epsilon(0.01));
}

TEST_CASE("a load that the network cannot carry is refused with the time") {
  const MachineSystem system(one_machine(), 1);
  CHECK_THROWS_AS(system.run(std::vector<SiteSegment>{{1.0, 0.0, 0.0}, {1.0, 900e6, 0.0}}), SolverError);
}

/// A load of constant power at the end of a line from a stiff source, whose voltage curve has its nose at E²/2X.
MachineCase load_on_a_line(double load_W) {
  MachineCase c = one_machine(0.0);
  c.bus.load_W = {load_W, 0.0};
  for (auto* values : {&c.machine.bus, &c.machine.rating_VA, &c.machine.power_W, &c.machine.voltage_pu,
                       &c.machine.inertia_s, &c.machine.damping_pu, &c.machine.armature_pu, &c.machine.leakage_pu,
                       &c.machine.d_pu, &c.machine.d_transient_pu, &c.machine.d_subtransient_pu, &c.machine.q_pu,
                       &c.machine.q_transient_pu, &c.machine.q_subtransient_pu, &c.machine.d_transient_s,
                       &c.machine.d_subtransient_s, &c.machine.q_transient_s, &c.machine.q_subtransient_s})
    values->erase(values->begin());
  c.load.active_power_frac = 1.0;
  c.load.active_current_frac = 0.0;
  return c;
}

TEST_CASE("a load that grows past the nose of the voltage curve is told apart from a fault of the solver") {
  const double nose_W = 100e6 / (2.0 * 0.3);  // the source's own reactance takes less than 0.1 % of it
  for (const double load_W : {140e6, 155e6, 165e6}) {
    const MachineSystem system(load_on_a_line(load_W), 1);
    const double room = std::min(0.1, nose_W / load_W - 1.0), found = system.load_room_frac(system.rest());
    CHECK(found <= 1.001 * room);
    CHECK(found >= 0.6 * room - 0.001);  // it looks in steps of half as much again
  }
  const MachineSystem system(load_on_a_line(160e6), 1);
  CHECK_NOTHROW(system.run(std::vector<SiteSegment>{{1.0, 0.0, 0.0}, {1.0, 5e6, 0.0}}));
  try {
    system.run(std::vector<SiteSegment>{{1.0, 0.0, 0.0}, {1.0, 8e6, 0.0}});
    FAIL("no state exists beyond the nose");
  } catch (const SolverError& error) {
    CHECK(std::string(error.what()).find("grid case at 1.000 s: the voltages collapse") != std::string::npos);
    CHECK(std::string(error.what()).find("at bus 1") != std::string::npos);
  }
}

TEST_CASE("merging edges keeps energy and time") {
  const std::vector<SiteSegment> wave{{0.001, 5, 1}, {0.002, 1, 2}, {0.1, 7, 0}, {0.003, 2, 0}, {0.004, 9, 0}};
  const auto merged = merge_edges(wave, 0.005);
  double J = 0.0, s = 0.0, expected_J = 0.0;
  for (const auto& p : merged) J += p.duration_s * p.load_W, s += p.duration_s;
  for (const auto& p : wave) expected_J += p.duration_s * p.load_W;
  CHECK(merged.size() == 3);
  CHECK(J == Approx(expected_J).epsilon(1e-12));
  CHECK(s == Approx(0.11).epsilon(1e-12));
}
