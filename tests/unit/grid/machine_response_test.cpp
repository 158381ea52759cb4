#include "grid/machine_response.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grid_case.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

GridCase kundur() { return grid_case("kundur_two_area"); }

std::vector<double> sine(double W, double f_Hz, double length_s) {
  std::vector<double> out;
  for (double t = 0.025; t < length_s; t += 0.05) out.push_back(50e6 + W * std::sin(2.0 * std::numbers::pi * f_Hz * t));
  return out;
}

/// Largest swing of a machine within `period_s` from `at_s` on: what drifts by over minutes, where no governor acts, is not in it.
double swing_Hz(const MachineResponse& r, double at_s, double period_s) {
  const std::size_t n = r.machines.size();
  double out = 0.0;
  for (std::size_t m = 0; m < n; ++m) {
    double lo = 1e300, hi = -1e300;
    for (std::size_t i = 0; i < r.time_s.size(); ++i)
      if (r.time_s[i] > at_s && r.time_s[i] < at_s + period_s)
        lo = std::min(lo, r.frequency_Hz[n * i + m]), hi = std::max(hi, r.frequency_Hz[n * i + m]);
    out = std::max(out, hi - lo);
  }
  return out;
}

double largest_Hz(const MachineResponse& r) {
  double out = 0.0;
  for (const auto& m : r.machines) out = std::max(out, m.peak_to_peak_Hz);
  return out;
}

}  // namespace

TEST_CASE("a small sine: the full equations agree with the linear ones, and the mode beside it is named", "[long]") {
  const auto c = kundur();
  const double f = LinearGrid(c.system(7)).swing_modes().front().frequency_Hz;
  const auto r = machine_response(c, 7, sine(2e6, f, 120.0), 0.05, 0.05);
  REQUIRE(r.machines.size() == 4);
  REQUIRE(r.modes.size() == 3);
  CHECK(r.modes[0].line_W == Approx(2e6).epsilon(0.02));
  CHECK(r.modes[0].line_Hz == Approx(f).epsilon(0.02));
  // After the mode, damped by some 3 %, has swung in and away from the record's ends.
  CHECK(swing_Hz(r, 80.0, 1.0 / f) == Approx(2.0 * r.modes[0].deviation_Hz).epsilon(0.1));
}

TEST_CASE("away from its modes the same swing moves the system less, and less swing less", "[long]") {
  const auto c = kundur();
  const double f = LinearGrid(c.system(7)).swing_modes().front().frequency_Hz;
  const auto swing = [&](double W, double f_Hz) {
    return swing_Hz(machine_response(c, 7, sine(W, f_Hz, 60.0), 0.05, 0.05), 40.0, 1.0 / f_Hz);
  };
  const double at = swing(2e6, f);
  CHECK(swing(2e6, 1.5 * f) < 0.5 * at);
  CHECK(swing(1e6, f) == Approx(0.5 * at).epsilon(0.05));
  CHECK(largest_Hz(machine_response(c, 7, std::vector<double>(400, 80e6), 0.05)) < 1e-6);  // no swing, no answer
}

TEST_CASE("buses are ranked by what the same swing does there; bad input is refused") {
  const auto c = kundur();
  const LinearGrid linear(c.system(7));
  const auto buses = worst_buses(c.network, linear, {0, 10e6, 1.8});
  REQUIRE(buses.size() == 2);
  CHECK(buses[0].peak_to_peak_Hz >= buses[1].peak_to_peak_Hz);
  CHECK(buses[1].peak_to_peak_Hz > 0.0);
  CHECK(worst_buses(c.network, linear.with_swing_damping(0.2), {0, 10e6, 1.8})[0].peak_to_peak_Hz <
        buses[0].peak_to_peak_Hz);
  CHECK_THROWS_AS(machine_response(c, 7, sine(1e6, 1.0, 5.0), 0.05), InputError);
  CHECK_THROWS_AS(machine_response(c, 99, sine(1e6, 1.0, 20.0), 0.05), InputError);
}

TEST_CASE("a lasting step on a case without governors is left out and said; what swings beside it stays", "[long]") {
  const auto c = kundur();
  auto load_W = sine(2e6, 0.7, 60.0);
  const double plain = largest_Hz(machine_response(c, 7, load_W, 0.05, 0.05));
  for (std::size_t i = 0; i < load_W.size(); ++i)
    load_W[i] += 40e6 * static_cast<double>(i) / static_cast<double>(load_W.size());
  const auto r = machine_response(c, 7, load_W, 0.05, 0.05);
  CHECK(r.left_out_slower_s == 20.0);
  CHECK(largest_Hz(r) < 0.5);  // 40 MW for a minute would be more than a hertz
  CHECK(plain > 0.0);
}

TEST_CASE("load lost in any case: nothing moves before, and every machine is faster in the mean of two seconds",
          "[long]") {
  for (const char* name : {"kundur_two_area", "ieee9", "ieee39"}) {
    auto c = grid_case(name);
    // With constant fields a loss raises the voltage, and Kundur's loads of constant current take most of it over.
    c.motion.active = {1.0, 0.0};
    std::vector<double> load_W(280, 50e6);  // 14 s, the loss after 11 s
    std::fill(load_W.begin() + 220, load_W.end(), 39.4e6);
    const auto r = machine_response(c, c.network.largest_load_bus(), load_W, 0.05, 0.05);
    const std::size_t n = r.machines.size();
    std::vector<double> mean_Hz(n, 0.0);
    double before_Hz = 0.0;
    for (std::size_t i = 0; i < r.time_s.size(); ++i)
      for (std::size_t m = 0; m < n; ++m) {
        if (r.time_s[i] < 11.0 + 1e-6)
          before_Hz = std::max(before_Hz, std::abs(r.frequency_Hz[i * n + m]));
        else if (r.time_s[i] < 13.0 + 1e-6)
          mean_Hz[m] += r.frequency_Hz[i * n + m] / 40.0;
      }
    CAPTURE(name);
    CHECK(before_Hz < 1e-6);
    for (const double f : mean_Hz) CHECK(f > 1e-4);
  }
}

TEST_CASE("the bus's frequency is that of the machines in the mean, and nothing moves without a swing", "[long]") {
  const auto c = kundur();
  const auto r = machine_response(c, 7, sine(5e6, 0.3, 60.0), 0.05, 0.05);
  REQUIRE(r.bus_frequency_Hz.size() == r.time_s.size());
  // Angles of bus and machines stay together, so their frequencies agree over the whole record.
  double bus = 0.0, machines = 0.0;
  for (std::size_t i = 0; i < r.time_s.size(); ++i) {
    bus += r.bus_frequency_Hz[i];
    for (std::size_t m = 0; m < 4; ++m) machines += 0.25 * r.frequency_Hz[4 * i + m];
  }
  const double swing_Hz = r.bus_highest_Hz - r.bus_lowest_Hz, n = static_cast<double>(r.time_s.size());
  CHECK(std::abs(bus - machines) / n < 0.02 * swing_Hz);
  CHECK(swing_Hz > 0.5 * largest_Hz(r));
  CHECK(swing_Hz < 3.0 * largest_Hz(r));
  const auto still = machine_response(c, 7, std::vector<double>(400, 80e6), 0.05);
  CHECK(still.bus_highest_Hz - still.bus_lowest_Hz < 1e-6);
  CHECK(still.voltage_highest_pu - still.voltage_lowest_pu < 1e-6);
}
