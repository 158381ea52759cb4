#include "power/sensor.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
const StepWave step_up{{0.0, 10.0, 20.0}, {150.0, 550.0}};
}

TEST_CASE("a step read through a 1 s mean becomes a ramp of 1 s", "[power][sensor]") {
  const WaveMeter m(step_up);
  const PowerSensorParams gpu{1.0, 0.1, 0.0, 0.0};
  CHECK(m.reading_W(gpu, 10.0) == Approx(150.0));
  CHECK(m.reading_W(gpu, 10.25) == Approx(250.0));  // the slew of 0.4 kW/s per GPU that telemetry shows
  CHECK(m.reading_W(gpu, 11.0) == Approx(550.0));
}

TEST_CASE("an instantaneous meter aliases with a wave of its own period", "[power][sensor]") {
  StepWave w;
  w.edge_s.push_back(0.0);
  for (int i = 0; i < 200; ++i) {
    w.level_W.push_back(i % 2 ? 100.0 : 900.0);
    w.edge_s.push_back(w.edge_s.back() + (i % 2 ? 1.5 : 0.5));
  }
  const WaveMeter m(w);
  const PowerSensorParams instant{0.0, 2.0, 0.0, 0.0}, mean{2.0, 2.0, 0.0, 0.0};
  for (double t = 20.25; t < 198; t += 2.0) {
    CHECK(m.reading_W(instant, t) == 900.0);       // always the peak
    CHECK(m.reading_W(mean, t) == Approx(300.0));  // (0.5 · 900 + 1.5 · 100)/2
  }
}

TEST_CASE("means of neighbouring intervals add up to the energy", "[power][sensor]") {
  const WaveMeter m(step_up);
  double J = 0.0;
  for (int i = 0; i < 137; ++i) J += m.mean_W(i * 0.13, (i + 1) * 0.13) * 0.13;
  CHECK(J == Approx(m.energy_J(0.0, 137 * 0.13)).epsilon(1e-13));
}

TEST_CASE("a logger sees the newest publication, rounded to the meter's steps", "[power][sensor]") {
  const WaveMeter m(step_up);
  const PowerSensorParams bmc{0.0, 2.0, 0.0, 75.0};
  CHECK(m.logged_W(bmc, 0.5, 10.4) == 150.0);  // published at 8.5 s, before the step
  CHECK(m.logged_W(bmc, 0.5, 10.6) == 525.0);  // 550 W in 75 W steps
  const PowerSensorParams late{0.0, 2.0, 1.0, 0.0};
  CHECK(m.logged_W(late, 0.5, 10.6) == 150.0);  // the reading is 1 s old
}

TEST_CASE("the running mean equals the exact one on equal steps, and does not drift", "[power][sensor]") {
  auto s = start_mean(1.0, 0.1, 150.0);
  double shown = 0.0;
  for (int i = 0; i < 5; ++i) shown = push_mean(s, 550.0);
  CHECK(shown == Approx(350.0));
  for (int i = 0; i < 1000000; ++i) shown = push_mean(s, 0.1 * (i % 7));
  double direct = 0.0;
  for (int i = 999990; i < 1000000; ++i) direct += 0.1 * (i % 7) / 10.0;
  CHECK(std::abs(shown - direct) < 1e-13);
}

TEST_CASE("a broken wave is refused", "[power][sensor]") {
  CHECK_THROWS_AS(WaveMeter({{0.0, 1.0}, {}}), InputError);
  CHECK_THROWS_AS(WaveMeter({{0.0, 1.0, 1.0}, {1.0, 2.0}}), InputError);
  CHECK_THROWS_AS(start_mean(0.01, 0.1, 0.0), InputError);
}

TEST_CASE("a die thermometer shows whole kelvins", "[power][sensor]") { CHECK(quantised_K(330.6, 1.0) == 331.0); }
