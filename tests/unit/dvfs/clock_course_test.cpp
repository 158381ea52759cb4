#include "dvfs/clock_course.hpp"

#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;

namespace {

constexpr double cap_W = 700.0;
double factor() { return h100().gpu.leakage_temperature_factor(333.15); }
double target_W() { return cap_W - h100().governor.cap_margin_W; }

/// Kinds: matrix work at two activities, and waiting.
struct Kinds {
  std::vector<PhaseMix> mix{work(0.70), work(0.95), wait()};
  std::vector<std::uint8_t> context{1, 1, 1};
  static PhaseMix work(double activity) {
    PhaseMix m;
    m.matrix_s = 0.02, m.active_matrix_s = activity * 0.02, m.hbm_s = 0.006;
    return m;
  }
  static PhaseMix wait() {
    PhaseMix m;
    m.wait_s = 0.02;
    return m;
  }
};

ClockCourse course(const std::vector<Stretch>& stretches, const SampledGovernorParams* sampling, double gate_Hz = 0.0,
                   const power::Chip& chip = {}) {
  const Kinds kinds;
  Repetition r{stretches, kinds.mix, kinds.context, twin_reference_Hz, gate_Hz > 0.0 ? gate_Hz : twin_reference_Hz};
  r.gate_Hz = gate_Hz;
  return clock_course(h100().gpu, chip, r, factor(), {cap_W, 1.98e9, h100().governor, sampling, {}});
}

double alone_Hz(const PhaseMix& mix) {
  return operating_point(h100().gpu, {}, mix, twin_reference_Hz, 0.0, factor(), target_W(), 1.98e9, 1.5e9).clock_Hz;
}

}  // namespace

TEST_CASE("a kind longer than the limiter's window has its own operating point", "[dvfs][course]") {
  const Kinds kinds;
  const auto c = course({{40.0, 0}, {40.0, 1}}, nullptr);
  for (std::size_t k : {0u, 1u})
    CHECK(c.clock_Hz * c.kind[k].clock == Approx(alone_Hz(kinds.mix[k])).margin(power::GpuModel::bin_Hz));
  CHECK(c.kind[0].clock > 1.05 * c.kind[1].clock);
}

TEST_CASE("kinds shorter than the window share one clock, and their mean is at the cap", "[dvfs][course]") {
  const auto c = course({{0.03, 0}, {0.03, 1}}, nullptr);
  CHECK(c.kind[0].clock == Approx(c.kind[1].clock).epsilon(3e-3));
  CHECK(c.mean_W == Approx(target_W()).epsilon(2e-3));
  CHECK(c.limit_W == Approx(target_W()).epsilon(2e-3));
}

TEST_CASE("after a wait the clock falls: the limiter keeps no credit beyond the table's end", "[dvfs][course]") {
  const auto c = course({{3.0, 1}, {3.0, 2}}, nullptr);
  CHECK(mean_ratio(c.ratio, 0.0, 0.02) > 1.05);
  CHECK(mean_ratio(c.ratio, 0.45, 0.5) < 0.99);
  CHECK(mean_ratio(c.ratio, 0.9, 1.0) * c.clock_Hz > 1.9e9);
  CHECK(c.mean_W < 0.8 * target_W());  // what a long wait leaves is lost
  double mean = 0.0;
  for (int i = 0; i < 100; ++i) mean += 0.01 * mean_ratio(c.ratio, 0.01 * i, 0.01 * (i + 1));
  CHECK(mean == Approx(mean_ratio(c.ratio, 0.0, 1.0)).epsilon(1e-9));
}

TEST_CASE("a course is the clock that the governor means, not the two bins between which it goes", "[dvfs][course]") {
  const auto c = course({{5.0, 1}}, nullptr);
  const double bin = power::GpuModel::bin_Hz / c.clock_Hz;
  for (const double ratio : c.ratio) CHECK(ratio == Approx(1.0).margin(0.1 * bin));
}

TEST_CASE("the fast limit takes what the mean would allow", "[dvfs][course]") {
  const std::vector<Stretch> bursts{{0.1, 1}, {0.1, 2}};
  const auto sampling = sampled_params();
  const auto free = course(bursts, nullptr), held = course(bursts, &sampling);
  CHECK(held.clock_Hz < 0.98 * free.clock_Hz);
  CHECK(held.mean_W < 0.98 * free.mean_W);
}

TEST_CASE("kinds at their own clocks have the course's energy", "[dvfs][course]") {
  const Kinds kinds;
  const std::vector<Stretch> stretches{{1.2, 0}, {2.5, 1}, {0.4, 2}};
  const auto sampling = sampled_params();
  for (const double gate_Hz : {0.0, 1.6e9}) {
    const auto c = course(stretches, &sampling, gate_Hz);
    double J = 0.0, s = 0.0;
    for (const auto& x : stretches) {
      const auto own = phase_power(h100().gpu, {}, kinds.mix[x.kind], c.kind[x.kind], twin_reference_Hz, c.clock_Hz,
                                   std::min(c.clock_Hz, gate_Hz));
      const auto given = phase_power(h100().gpu, {}, kinds.mix[x.kind], twin_reference_Hz,
                                     gate_Hz > 0.0 ? gate_Hz : twin_reference_Hz, 0.0);
      const double here_s = x.duration_s / given.duration_s * (gate_Hz > 0.0 ? given.duration_s : own.duration_s);
      J += here_s * (own.fixed_W + own.leakage_W * factor()), s += here_s;
    }
    CHECK(J / s == Approx(c.mean_W).epsilon(1e-3));
    if (gate_Hz > 0.0) CHECK(c.clock_Hz > gate_Hz);
  }
}

TEST_CASE("a rank whose gate rises in places waits less there", "[dvfs][course]") {
  const Kinds kinds;
  const std::vector<Stretch> stretches{{0.3, 1}, {0.2, 2}, {0.3, 1}, {0.2, 2}};
  const auto sampling = sampled_params();
  Repetition r{stretches, kinds.mix, kinds.context, twin_reference_Hz, 1.6e9};
  r.gate_Hz = 1.6e9;
  const auto at = [&](const std::vector<double>& gate_ratio) {
    r.gate_ratio = gate_ratio;
    return clock_course(h100().gpu, {}, r, factor(), {cap_W, 1.98e9, h100().governor, &sampling, {}});
  };
  const auto flat = at({1.0, 1.0, 1.0, 1.0}), moving = at({1.1, 1.0, 1.0, 1.0});
  CHECK(flat.clock_Hz == at({}).clock_Hz);
  CHECK(moving.repetition_s < flat.repetition_s - 0.01);
  // Less of its time is spent waiting, so that the same mean power allows a lower clock.
  CHECK(moving.clock_Hz < flat.clock_Hz);
}

TEST_CASE("samples fall on every place of a repetition", "[dvfs][course]") {
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += sample_begin_frac(i);
  CHECK(sum / 1000 == Approx(0.5).margin(2e-3));
}
