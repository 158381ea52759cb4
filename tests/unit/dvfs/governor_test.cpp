#include "tidewatt/dvfs/governor.hpp"

#include <fmt/format.h>

#include <complex>
#include <numbers>

#include "base/random.hpp"
#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;

namespace {

double random_number(std::uint64_t i, std::uint64_t k) { return random::uniform(7, random::Purpose::jitter, i, k); }

/// Matrix work, then memory, link and waiting. Repetitions are shorter than a sample: what the 1 s limit alone decides. Longer
/// ones meet the fast limit and belong to clock_course_test.
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

/// A board whose power follows its clock in a straight line, under a load that swings by itself.
struct StraightBoard {
  double cap_W = 700.0, at_Hz = 1.5e9, W_per_Hz, swing_W = 0.0, period_s = 1.0;
  /// Requests of the limit, [sample], after `settle_s`. Above the fast limit nothing happens here.
  std::vector<double> requests_Hz(SampledGovernorParams p, double from_Hz, double settle_s, double seen_s) const {
    p.peak_ratio = 3.0;
    const SampledGovernor governor(h100().gpu, h100().governor, p);
    const PowerLimiter scale(h100().gpu, h100().governor, p);
    auto s = governor.start(1, from_Hz);
    Sample sample(1, 0.0);
    sample.cap[0] = cap_W;
    std::vector<double> out;
    const auto n = std::lround((settle_s + seen_s) / p.period_s), first = std::lround(settle_s / p.period_s);
    for (long i = 0; i < n; ++i) {
      const double load_W = swing_W * std::sin(2.0 * std::numbers::pi * static_cast<double>(i) * p.period_s / period_s);
      sample.W[0] = cap_W - h100().governor.cap_margin_W + W_per_Hz * (governor.clock_Hz(s, 0) - at_Hz) + load_W;
      governor.decide(sample.view(), s);
      if (i >= first) out.push_back(scale.clock_Hz(s.request_bins[0]));
    }
    return out;
  }
  /// Amplitude of the requests at the load's period.
  double answer_Hz(const SampledGovernorParams& p) const {
    const auto f = requests_Hz(p, at_Hz, 30.0, 100.0 * period_s);
    std::complex<double> sum;
    for (std::size_t i = 0; i < f.size(); ++i)
      sum += (f[i] - at_Hz) * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(i) * p.period_s / period_s);
    return 2.0 * std::abs(sum) / static_cast<double>(f.size());
  }
  /// The same of the loop: a plain mean of n samples, the sum of its errors and its own change, a clock one sample later.
  double loop_answer_Hz(const SampledGovernorParams& p) const {
    const auto late = std::polar(1.0, -2.0 * std::numbers::pi * p.period_s / period_s);
    const double window_s = h100().governor.window_s, n = std::round(window_s / p.period_s);
    const auto mean = (1.0 - std::pow(late, n)) / (n * (1.0 - late));
    const auto per_W = (p.power_gain_Hz * p.period_s / window_s / (1.0 - late) + p.power_rise_gain_Hz) * mean / cap_W;
    return swing_W * std::abs(per_W / (1.0 + W_per_Hz * per_W * late));
  }
};

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

TEST_CASE("the limit sees the plain mean of a second: its answer to a wave is that of this loop", "[dvfs][governor]") {
  const auto p = sampled_params();
  for (const double loop_gain : {0.7, 1.5})
    for (const double period_s : {0.5, 0.7, 1.0, 1.4, 2.0, 4.0}) {
      StraightBoard board{.W_per_Hz = loop_gain * 700.0 / p.power_gain_Hz, .swing_W = 150.0, .period_s = period_s};
      INFO("period " << period_s << " s, loop gain " << loop_gain);
      CHECK(board.answer_Hz(p) == Approx(board.loop_answer_Hz(p)).epsilon(0.03).margin(0.4e6));
    }
  // Periods that divide the window leave the clock alone; an exponential mean of a second would let it swing by 40 MHz.
  StraightBoard board{.W_per_Hz = 700.0 / p.power_gain_Hz, .swing_W = 150.0, .period_s = 1.0};
  CHECK(board.answer_Hz(p) < 0.4e6);
}

TEST_CASE("the lag of the mean: the loop settles below a gain of pi squared halves and oscillates above",
          "[dvfs][governor]") {
  auto p = sampled_params();
  const auto swing_Hz = [&](double loop_gain) {
    const StraightBoard board{.W_per_Hz = loop_gain * 700.0 / p.power_gain_Hz};
    const auto f = board.requests_Hz(p, 1.41e9, 60.0, 20.0);
    const auto [low, high] = std::minmax_element(f.begin(), f.end());
    return *high - *low;
  };
  CHECK(swing_Hz(1.5) < 16e6);  // one bin of dither
  CHECK(swing_Hz(2.5) < 16e6);
  p.power_rise_gain_Hz = 0.0;
  CHECK(swing_Hz(4.0) < 20e6);
  CHECK(swing_Hz(6.0) > 100e6);
}

TEST_CASE("a mean is over the last samples by their lengths, and over those there are", "[dvfs][governor]") {
  PowerMean mean(3);
  CHECK(mean.push(100.0, 0.02).rise_W == 0.0);
  const auto two = mean.push(400.0, 0.01);
  CHECK(two.mean_W == Approx(200.0));
  CHECK(two.rise_W == Approx(100.0));
  CHECK(mean.push(200.0, 0.03).mean_W == Approx(200.0));
  CHECK(mean.push(300.0, 0.02).mean_W == Approx((4.0 + 6.0 + 6.0) / 0.06));
  PowerMean half(1.5);
  half.push(100.0, 0.02), half.push(400.0, 0.02);
  CHECK(half.push(100.0, 0.02).mean_W == Approx(200.0));
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
