#include "tidewatt/mitigation/battery_wear.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

namespace {
BatteryWearMeters cycle(const BatteryWear& w, double depth, int n) {
  BatteryWearState s;
  BatteryWearMeters m;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < 20; ++k) w.push(0.5 + (i % 2 ? depth : -depth) * (k - 9.5) / 19.0, 1.0, s, m);
  return m;
}
}  // namespace

TEST_CASE("cycles of one depth use D^k/N each; shallow cycles cost less per energy when k > 1") {
  const BatteryWear w({5000.0, 1.5, 1e9, 0.001});
  const auto deep = cycle(w, 0.8, 2000), shallow = cycle(w, 0.1, 2000);
  CHECK(deep.cycle_life_frac == Approx(1000 * std::pow(0.8, 1.5) / 5000).epsilon(2e-3));
  CHECK(deep.full_cycles == Approx(1000 * 0.8).epsilon(2e-3));
  CHECK(shallow.cycle_life_frac / shallow.full_cycles < 0.5 * deep.cycle_life_frac / deep.full_cycles);
}

TEST_CASE("time alone wears, and rest does not cycle") {
  const BatteryWear w({5000.0, 1.5, 1000.0, 0.001});
  BatteryWearState s;
  BatteryWearMeters m;
  for (int i = 0; i < 500; ++i) w.push(0.5 + 0.0004 * (i % 2), 1.0, s, m);
  CHECK(m.calendar_life_frac == Approx(0.5));
  CHECK(m.n_half_cycle == 0);
  CHECK_THROWS_AS(BatteryWear({0.0, 1.5, 1000.0, 0.0}), InputError);
}

TEST_CASE("swings inside the dead band wear by their throughput, alone and on top of a deep cycle") {
  const double d = 0.01, k = 1.5, N = 5000.0;
  const BatteryWear w({N, k, 1e12, d});
  BatteryWearState s;
  BatteryWearMeters m;
  for (int i = 0; i <= 1000; ++i) w.push(0.5 + 0.004 * (i % 2), 1.0, s, m);
  CHECK(m.full_cycles == Approx(0.5 * 1000 * 0.004));
  CHECK(m.throughput_life_frac == Approx(0.5 * 1000 * 0.004 * std::pow(d, k - 1.0) / N));
  // A saw of 0.004 on ramps of 0.6: every push up by 0.006 and back by 0.004.
  BatteryWearState deep;
  BatteryWearMeters both;
  double soc = 0.2, path = 0.0;
  for (int half = 0; half < 5; ++half) {
    const double sign = half % 2 == 0 ? 1.0 : -1.0;
    for (int i = 0; i < 300; ++i)
      for (const double step : {0.006, -0.004}) w.push(soc += sign * step, 1.0, deep, both), path += std::abs(step);
  }
  CHECK(both.n_half_cycle == 4);
  CHECK(both.full_cycles == Approx(0.5 * path).epsilon(1e-3));
  const double cycles = 4 * w.half_cycle_life_frac(0.6);
  CHECK(both.cycle_life_frac == Approx(cycles).epsilon(0.02));
  CHECK(both.throughput_life_frac == Approx((path - 4 * 0.6) * w.half_cycle_life_frac(d) / d).epsilon(0.02));
}
