#include "tidewatt/dvfs/governor.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;

namespace {

double random_number(std::uint64_t i, std::uint64_t k) { return random::uniform(7, random::Purpose::jitter, i, k); }

/// Matrix work, then memory, link and waiting. Repetitions are shorter than a sample: what the 1 s limit alone decides. Longer
/// ones meet the fast limit and belong to stretch_test.
std::vector<PhaseMix> random_phases(std::uint64_t i, double repetition_s) {
  const double matrix = 0.55 + 0.4 * random_number(i, 0), memory = 0.15 * random_number(i, 1),
               link = 0.15 * random_number(i, 2);
  const double activity = 0.6 + 0.35 * random_number(i, 3);
  PhaseMix heavy, light;
  heavy.matrix_s = matrix * repetition_s;
  heavy.active_matrix_s = activity * heavy.matrix_s;
  heavy.hbm_s = 0.3 * heavy.matrix_s;
  light.memory_s = (memory + 0.02) * repetition_s;
  light.hbm_s = 0.8 * light.memory_s;
  light.link_s = link * repetition_s;
  light.full_link_s = 0.6 * light.link_s;
  light.wait_s = 0.05 * random_number(i, 4) * repetition_s;
  return {heavy, light};
}

PhaseMix sum_of(const std::vector<PhaseMix>& phases) {
  PhaseMix m;
  for (const auto& p : phases) {
    m.matrix_s += p.matrix_s, m.memory_s += p.memory_s, m.link_s += p.link_s, m.wait_s += p.wait_s;
    m.active_matrix_s += p.active_matrix_s, m.hbm_s += p.hbm_s, m.full_link_s += p.full_link_s;
  }
  return m;
}

struct Sample {
  std::vector<double> W, K, cap, lock;
  std::vector<std::uint8_t> brake;
  explicit Sample(std::size_t n, double watts)
      : W(n, watts), K(n, 330.0), cap(n, 700.0), lock(n, 1.98e9), brake(n, 0) {}
  GovernorView view() const { return {W, K, cap, lock, brake}; }
};

double held(const GovernorState& s, Held h) { return s.held_s[0][static_cast<std::size_t>(h)]; }

}  // namespace

TEST_CASE("the sampled governor's averages are the operating point: 1,000 chips, temperatures, mixes",
          "[dvfs][governor]") {
  double worst_Hz = 0.0, worst_W = 0.0, sum_Hz = 0.0;
  int limited = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto chip = power::draw_chip({0.2, 0.008, -0.5, 0.06, 2.0}, 3, i);
    const double die_K = 308.15 + 50.0 * random_number(i, 5), cap_W = 450.0 + 250.0 * random_number(i, 6);
    const auto phases = random_phases(i, 0.002 + 0.010 * random_number(i, 7));
    const double factor = h100().gpu.leakage_temperature_factor(die_K);
    const auto point = operating_point(h100().gpu, chip, sum_of(phases), twin_reference_Hz, 0.0, factor,
                                       cap_W - h100().governor.cap_margin_W, 1.98e9, 1.5e9);
    const auto p = phase_power(h100().gpu, chip, sum_of(phases), twin_reference_Hz, point.clock_Hz, 0.0);
    const auto run = run_sampled(chip, phases, die_K, cap_W, 8.0, 8.0);
    const double off_Hz = run.mean_Hz / point.clock_Hz - 1.0,
                 off_W = run.mean_W / (p.fixed_W + p.leakage_W * factor) - 1.0;
    worst_Hz = std::max(worst_Hz, std::abs(off_Hz)), worst_W = std::max(worst_W, std::abs(off_W)), sum_Hz += off_Hz;
    limited += point.limiter == Limiter::power;
  }
  WARN(fmt::format("worst clock {:.2f} %, worst power {:.2f} %, mean clock {:+.3f} %, {} power-limited", 100 * worst_Hz,
                   100 * worst_W, 100 * sum_Hz / 1000, limited));
  CHECK(limited > 500);
  CHECK(worst_Hz < 0.01);  // one bin of 15 MHz at 1.5 GHz
  CHECK(worst_W < 0.005);
  CHECK(std::abs(sum_Hz / 1000) < 0.002);
}

TEST_CASE("at the cap it dithers between two neighbouring bins", "[dvfs][governor]") {
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(1, 1.5e9);
  PhaseMix gemm;
  gemm.matrix_s = 1.0, gemm.active_matrix_s = 0.97, gemm.hbm_s = 0.3;
  std::int32_t low = 1000, high = 0;
  Sample sample(1, 0.0);
  for (int i = 0; i < 3000; ++i) {
    const auto p = phase_power(h100().gpu, {}, gemm, twin_reference_Hz, governor.clock_Hz(s, 0), 0.0);
    sample.W[0] = p.fixed_W + p.leakage_W * h100().gpu.leakage_temperature_factor(330.0);
    governor.decide(sample.view(), s);
    if (i > 1500) low = std::min(low, s.bin[0]), high = std::max(high, s.bin[0]);
  }
  CHECK(high - low == 1);
  CHECK(held(s, Held::power_cap) > 0.9 * 3000 * governor.period_s());
}

TEST_CASE("without power to limit it climbs by its slew to the lock, and says what holds it", "[dvfs][governor]") {
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(1, 1.2e9);
  Sample sample(1, 200.0);
  sample.lock[0] = 1.5e9;
  for (int i = 0; i < 101; ++i) {
    const auto before = s.bin[0];
    governor.decide(sample.view(), s);
    CHECK(s.bin[0] - before <= 2);
  }
  CHECK(governor.clock_Hz(s, 0) == Approx(1.5e9));
  CHECK(held(s, Held::clock_lock) > 0.5 * 101 * governor.period_s());
  sample.lock[0] = 1.98e9;
  for (int i = 0; i < 200; ++i) governor.decide(sample.view(), s);
  CHECK(governor.clock_Hz(s, 0) == Approx(1.98e9));
  CHECK(held(s, Held::none) > 0.0);
}

TEST_CASE("the fast limit cuts within a sample where the mean would take a second", "[dvfs][governor]") {
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(1, 1.9e9);
  Sample sample(1, 860.0);
  governor.decide(sample.view(), s);
  CHECK(governor.clock_Hz(s, 0) < 1.9e9 - 4 * 15e6);
  CHECK(held(s, Held::peak) == Approx(governor.period_s()));
}

TEST_CASE("the fast limit is the board's, whatever the cap: below a lowered cap only the mean is held",
          "[dvfs][governor]") {
  // B300 under a cap of 500 W: square waves of 50 and 500 ms peak at 1.42 and 1.43 times the cap.
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(1, 1.9e9);
  Sample sample(1, 1.43 * 450.0);
  sample.cap[0] = 450.0;
  governor.decide(sample.view(), s);
  CHECK(held(s, Held::peak) == 0.0);
  CHECK(held(s, Held::power_cap) == Approx(governor.period_s()));
  CHECK(governor.clock_Hz(s, 0) >= 1.9e9 - 15e6);
  sample.W[0] = 1.2 * 700.0;
  governor.decide(sample.view(), s);
  CHECK(held(s, Held::peak) > 0.0);
}

TEST_CASE("the thermal limiter holds the target and lets go with hysteresis", "[dvfs][governor]") {
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(1, 1.8e9);
  Sample sample(1, 500.0);
  double die_K = 330.0, sink_K = 330.0;
  const auto step = [&](double air_K, double seconds) {
    for (double t = 0; t < seconds; t += governor.period_s()) {
      sample.W[0] = 560.0 * std::pow(governor.clock_Hz(s, 0) / 1.8e9, 2.2);
      sink_K += governor.period_s() / 40.0 * (air_K + 0.04 * sample.W[0] - sink_K);
      die_K += governor.period_s() / 2.0 * (sink_K + 0.03 * sample.W[0] - die_K);
      sample.K[0] = die_K;
      governor.decide(sample.view(), s);
    }
  };
  step(330.0, 600.0);
  CHECK(die_K == Approx(360.15).margin(0.5));
  CHECK(held(s, Held::thermal) > 300);
  CHECK(held(s, Held::slowdown) == 0.0);
  step(295.0, 600.0);
  CHECK(s.thermal_on[0] == 0);
  CHECK(governor.clock_Hz(s, 0) == Approx(1.98e9));
}

TEST_CASE("slowdown releases below its hysteresis, the brake at once, shutdown never", "[dvfs][governor]") {
  const SampledGovernor governor(h100().gpu, h100().governor, sampled_params());
  auto s = governor.start(2, 1.8e9);
  Sample sample(2, 300.0);
  sample.K[0] = 362.2;
  sample.brake[1] = 1;
  governor.decide(sample.view(), s);
  CHECK(governor.clock_Hz(s, 0) <= 0.99e9);
  CHECK(governor.clock_Hz(s, 1) <= 0.99e9);
  CHECK(s.held_s[1][static_cast<std::size_t>(Held::brake)] > 0.0);
  sample.K[0] = 359.0;
  sample.brake[1] = 0;
  for (int i = 0; i < 200; ++i) governor.decide(sample.view(), s);
  CHECK(s.slowdown_on[0] == 1);
  CHECK(s.off[0] == 0);  // it slows down at 362 K and switches off at 365 K only
  CHECK(governor.clock_Hz(s, 1) > 1.7e9);
  sample.K[0] = 350.0;
  governor.decide(sample.view(), s);
  CHECK(s.slowdown_on[0] == 0);
  sample.K[0] = 366.0;
  governor.decide(sample.view(), s);
  sample.K[0] = 320.0;
  for (int i = 0; i < 50; ++i) governor.decide(sample.view(), s);
  CHECK(s.off[0] == 1);
  CHECK(s.bin[0] == 0);
}
