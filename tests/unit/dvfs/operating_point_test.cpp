#include "tidewatt/dvfs/operating_point.hpp"

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;
using dvfs::Limiter;

namespace {
constexpr double f_ref = 1.83e9;
const fleet::NodeType& node() {
  static const auto type = h100_node_type();
  return type;
}
dvfs::PhaseMix gemm() { return {1.0, 0.05, 0.2, 0.0, 1.0, 0.25, 0.1}; }

double mean_power(const power::Chip& chip, double clock_Hz, double gate_Hz, double factor) {
  const auto p = dvfs::phase_power(node().gpu, chip, gemm(), f_ref, clock_Hz, gate_Hz);
  return p.fixed_W + p.leakage_W * factor;
}
}  // namespace

TEST_CASE("the operating point holds the mean power at the cap for any chip and temperature") {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto chip = power::draw_chip({0.25, 0.01, -0.5, 0.06, 2.5}, 1, i);
    const double factor = node().gpu.leakage_temperature_factor(310.0 + 0.05 * static_cast<double>(i));
    const auto p = dvfs::operating_point(node().gpu, chip, gemm(), f_ref, 0.0, factor, 692.0, 1.98e9, 1.5e9);
    REQUIRE(p.limiter == Limiter::power);
    REQUIRE(mean_power(chip, p.clock_Hz, 0.0, factor) == Approx(692.0).epsilon(1e-8));
  }
}

TEST_CASE("light work runs at the table's end and a lock is reported as such") {
  const dvfs::PhaseMix light{0.1, 0.0, 0.0, 0.9, 0.1, 0.0, 0.0};
  const auto free = dvfs::operating_point(node().gpu, {}, light, f_ref, 0.0, 1.0, 692.0, 1.98e9, 1.5e9);
  CHECK(free.limiter == Limiter::none);
  CHECK(free.clock_Hz == node().gpu.clock_max_Hz());
  const auto locked = dvfs::operating_point(node().gpu, {}, gemm(), f_ref, 0.0, 1.0, 692.0, 1.2e9, 1.5e9);
  CHECK(locked.limiter == Limiter::clock);
  CHECK(locked.clock_Hz == 1.2e9);
}

TEST_CASE("hotter, leakier and hungrier chips run slower; more power never does") {
  const auto clock = [&](power::Chip chip, double die_K, double cap_W) {
    return dvfs::operating_point(node().gpu, chip, gemm(), f_ref, 0.0, node().gpu.leakage_temperature_factor(die_K),
                                 cap_W, 1.98e9, 1.5e9)
        .clock_Hz;
  };
  CHECK(clock({}, 350, 692) < clock({}, 330, 692));
  CHECK(clock({1.3, 0}, 340, 692) < clock({1.0, 0}, 340, 692));
  CHECK(clock({1.0, 0.01}, 340, 692) < clock({1.0, 0.0}, 340, 692));
  double last = 0.0;
  for (double cap = 200; cap <= 700; cap += 25) {
    CHECK(clock({}, 340, cap) >= last);
    last = clock({}, 340, cap);
  }
}

TEST_CASE("without leakage the clock does not feel temperature") {
  auto p = node().gpu.params();
  p.leakage_W = 0.0;
  const power::GpuModel cold(p);
  const auto f = [&](double K) {
    return dvfs::operating_point(cold, {}, gemm(), f_ref, 0.0, cold.leakage_temperature_factor(K), 692, 1.98e9, 1.5e9)
        .clock_Hz;
  };
  CHECK(f(300) == f(360));
}

TEST_CASE("a rank that waits for a slower one uses less power at the same clock and clocks higher at the cap") {
  CHECK(mean_power({}, 1.5e9, 1.4e9, 1.0) < mean_power({}, 1.5e9, 0.0, 1.0));
  const auto alone = dvfs::operating_point(node().gpu, {}, gemm(), f_ref, 0.0, 1.0, 692, 1.98e9, 1.5e9);
  const auto waiting =
      dvfs::operating_point(node().gpu, {}, gemm(), f_ref, 0.95 * alone.clock_Hz, 1.0, 692, 1.98e9, 1.5e9);
  CHECK(waiting.clock_Hz > alone.clock_Hz);
}

TEST_CASE("a phase that would draw more than the board's peak runs at the clock at which it draws the peak") {
  constexpr double peak_W = 941.5, factor = 1.2;
  const auto limited_Hz = [&](const power::Chip& chip, double factor_, double clock_Hz) {
    return dvfs::peak_limited_clock_Hz(node().gpu, chip, gemm(), f_ref, factor_, peak_W, clock_Hz);
  };
  REQUIRE(mean_power({}, 1.98e9, 0.0, factor) > peak_W);
  const double at_Hz = limited_Hz({}, factor, 1.98e9);
  CHECK(mean_power({}, at_Hz, 0.0, factor) == Approx(peak_W).epsilon(1e-8));
  // Work and time follow: its products last as much longer as the clock is lower.
  const auto longer_s = dvfs::phase_power(node().gpu, {}, gemm(), f_ref, at_Hz, 0.0).duration_s -
                        dvfs::phase_power(node().gpu, {}, gemm(), f_ref, 1.98e9, 0.0).duration_s;
  CHECK(longer_s == Approx(gemm().matrix_s * f_ref * (1.0 / at_Hz - 1.0 / 1.98e9)));
  CHECK(longer_s > 0.0);
  // The governor's clock where that is lower; leaky, hot and slow chips earlier.
  CHECK(limited_Hz({}, factor, 0.9 * at_Hz) == 0.9 * at_Hz);
  CHECK(limited_Hz({}, 1.3 * factor, 1.98e9) < at_Hz);
  CHECK(limited_Hz({1.3, 0.0}, factor, 1.98e9) < at_Hz);
  CHECK(limited_Hz({1.0, 0.02}, factor, 1.98e9) < at_Hz);
}

TEST_CASE("a peak is relative to the board's rating, and none that is not known acts") {
  auto governor = node().governor;
  governor.edp_peak_ratio = 1.345;
  CHECK(dvfs::peak_W(governor, node().gpu.params()) == 1.345 * node().gpu.params().tdp_W);
  governor.edp_peak_ratio = 0.0;
  const double unknown_W = dvfs::peak_W(governor, node().gpu.params());
  CHECK(std::isinf(unknown_W));
  CHECK(dvfs::peak_limited_clock_Hz(node().gpu, {}, gemm(), f_ref, 1.2, unknown_W, 1.98e9) == 1.98e9);
}
