#include "dvfs/clock_course.hpp"

#include <numeric>
#include <set>

#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;

namespace {

double mean_ratio(const std::vector<double>& ratio_sum, double from_frac, double to_frac) {
  return RatioSpan(from_frac, to_frac, ratio_sum.size() - 1).mean(ratio_sum);
}

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
  CHECK(mean_ratio(c.ratio_sum, 0.0, 0.02) > 1.05);
  CHECK(mean_ratio(c.ratio_sum, 0.45, 0.5) < 0.99);
  CHECK(mean_ratio(c.ratio_sum, 0.9, 1.0) * c.clock_Hz > 1.9e9);
  CHECK(c.mean_W < 0.8 * target_W());  // what a long wait leaves is lost
  double mean = 0.0;
  for (int i = 0; i < 100; ++i) mean += 0.01 * mean_ratio(c.ratio_sum, 0.01 * i, 0.01 * (i + 1));
  CHECK(mean == Approx(mean_ratio(c.ratio_sum, 0.0, 1.0)).epsilon(1e-9));
}

TEST_CASE("a course is the clock that the governor means, not the two bins between which it goes", "[dvfs][course]") {
  const auto c = course({{5.0, 1}}, nullptr);
  const double bin = power::GpuModel::bin_Hz / c.clock_Hz;
  for (std::size_t i = 1; i < c.ratio_sum.size(); ++i)
    CHECK(c.ratio_sum[i] - c.ratio_sum[i - 1] == Approx(1.0).margin(0.1 * bin));
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
  for (const double gate_Hz : {0.0, 1.45e9}) {
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
  Repetition r{stretches, kinds.mix, kinds.context, twin_reference_Hz, 1.45e9};
  r.gate_Hz = 1.45e9;
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

TEST_CASE("a course has the mean of the sampled governor, which rounds to bins", "[dvfs][course]") {
  const Kinds kinds;
  const auto sampling = sampled_params();
  const std::vector<Stretch> stretches{{1.5, 1}, {0.7, 2}, {0.9, 0}, {0.4, 2}};
  const auto c = course(stretches, &sampling);
  std::vector<PhaseMix> phases;
  for (const auto& s : stretches) {
    PhaseMix mix;
    const auto& one = kinds.mix[s.kind];
    add(mix, one,
        s.duration_s / phase_power(h100().gpu, {}, one, twin_reference_Hz, twin_reference_Hz, 0.0).duration_s);
    phases.push_back(mix);
  }
  const auto twin = run_sampled({}, phases, 333.15, cap_W, 20.0, 2000.0);
  CHECK(c.mean_W == Approx(twin.mean_W).epsilon(2e-3));
  CHECK(c.repetition_s == Approx(std::accumulate(twin.phase_s.begin(), twin.phase_s.end(), 0.0)).epsilon(1e-3));
  double work_s = 0.0, cycles = 0.0;
  for (const std::size_t i : {0u, 2u}) work_s += twin.phase_s[i], cycles += twin.phase_s[i] * twin.phase_Hz[i];
  CHECK(c.clock_Hz == Approx(cycles / work_s).epsilon(1e-3));
}

TEST_CASE("a course moves smoothly with the pace: its samples do not show", "[dvfs][course]") {
  const Kinds kinds;
  const auto sampling = sampled_params();
  std::vector<double> clock_MHz;
  for (int i = 0; i < 9; ++i) {
    const double slower = 1.0 + 0.003 * i;
    const std::vector<Stretch> stretches{{1.5 * slower, 1}, {0.4, 2}, {0.9 * slower, 0}, {1.1 * slower, 1}, {0.6, 2}};
    Repetition r{stretches, kinds.mix, kinds.context, twin_reference_Hz, twin_reference_Hz / slower};
    const auto c = clock_course(h100().gpu, {}, r, factor(), {cap_W, 1.98e9, h100().governor, &sampling, {}});
    clock_MHz.push_back(c.clock_Hz * 1e-6);
  }
  // Second differences are those of the noise: one MHz where samples fall as they come.
  for (std::size_t i = 1; i + 1 < clock_MHz.size(); ++i)
    CHECK(std::abs(clock_MHz[i - 1] - 2.0 * clock_MHz[i] + clock_MHz[i + 1]) < 0.15);
}

TEST_CASE("where the fast limit rounds, it takes the mean over a bin", "[dvfs][governor]") {
  const auto sampling = sampled_params();
  const PowerLimiter limiter(h100().gpu, h100().governor, sampling);
  const double peak_W = sampling.peak_ratio * h100().gpu.params().tdp_W;
  const double at_bins = 40.0, f = limiter.clock_Hz(at_bins);
  const auto v = h100().gpu.voltage(f);
  const double slope_W = cap_W / f * (1.0 + 2.0 * f * v.slope_V_per_Hz / v.V) * power::GpuModel::bin_Hz;
  for (const double request_bins : {at_bins, at_bins + 0.4})
    for (const double over_W : {-0.3 * slope_W, 0.0, 0.3 * slope_W}) {
      double mean_bins = 0.0;
      constexpr int n = 400;
      for (int i = 0; i < n; ++i) {
        const double rounded_W = over_W + ((i + 0.5) / n - 0.5) * slope_W;
        mean_bins += limiter.after(request_bins, at_bins, peak_W + rounded_W, {}, 0.0, cap_W).clock_bins / n;
      }
      CHECK(limiter.after(request_bins, at_bins, peak_W + over_W, {}, 0.0, cap_W, 1.0).clock_bins ==
            Approx(mean_bins).margin(1e-3));
    }
}

TEST_CASE("samples fall on every place of a repetition", "[dvfs][course]") {
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += sample_begin_frac(i);
  CHECK(sum / 1000 == Approx(0.5).margin(2e-3));
  std::set<double> places;
  for (int i = 3; i < 8; ++i) places.insert(sample_place_frac(i, 5));
  CHECK(places == std::set<double>{0.1, 0.3, 0.5, 0.7, 0.9});
}

TEST_CASE("what smoothing burns counts against the limit: it leaves less clock, and work after it begins lower",
          "[dvfs][course]") {
  const std::vector<Stretch> free{{3.0, 1}, {1.0, 2}}, burning{{3.0, 1}, {1.0, 2, {650.0}}};
  const auto a = course(free, nullptr), b = course(burning, nullptr);
  CHECK(b.mean_W == Approx(target_W()).epsilon(2e-3));  // nothing is lost in the wait
  CHECK(b.clock_Hz < 0.97 * a.clock_Hz);
  // Its work alone draws less than the limit by what is burned; a rank's own power has no bounds.
  const Kinds kinds;
  const auto waits = phase_power(h100().gpu, {}, kinds.mix[2], b.kind[2], twin_reference_Hz, b.clock_Hz, 0.0);
  const double wait_W = waits.fixed_W + waits.leakage_W * factor();
  CHECK(wait_W < 300.0);
  CHECK(target_W() - b.limit_W == Approx((650.0 - wait_W) / b.repetition_s).epsilon(0.02));
  // The clock rises by what 650 W are below the limit, not to the table's end.
  CHECK(mean_ratio(a.ratio_sum, 0.99, 1.0) * a.clock_Hz > 1.1 * b.clock_Hz);
  CHECK(mean_ratio(b.ratio_sum, 0.99, 1.0) == Approx(1.0).margin(0.04));
}

TEST_CASE("power kept below a bound gives the limiter what it does not draw", "[dvfs][course]") {
  const auto a = course({{2.0, 1}, {2.0, 1}}, nullptr), b = course({{2.0, 1}, {2.0, 1, {0.0, 600.0}}}, nullptr);
  CHECK(b.clock_Hz > 1.02 * a.clock_Hz);
  CHECK(b.mean_W == Approx(target_W()).epsilon(4e-3));
}

TEST_CASE("no kind draws more than the board's peak, and its work takes longer", "[dvfs][course]") {
  const Kinds kinds;
  const std::vector<Stretch> bursts{{0.03, 1}, {0.2, 2}};  // the mean is below the limit: only peaks hold the clock
  const auto course_of = [&](double ratio, const power::Chip& chip = {}) {
    const Repetition r{bursts, kinds.mix, kinds.context, twin_reference_Hz, twin_reference_Hz};
    auto governor = h100().governor;
    governor.edp_peak_ratio = ratio;
    return clock_course(h100().gpu, chip, r, factor(), {cap_W, 1.98e9, governor, nullptr, {}});
  };
  const auto power_W = [&](const ClockCourse& c, const power::Chip& chip = {}) {
    const auto p = phase_power(h100().gpu, chip, kinds.mix[1], c.kind[1], twin_reference_Hz, c.clock_Hz, 0.0);
    return p.fixed_W + p.leakage_W * factor();
  };
  const double ratio = 1.345, most_W = ratio * h100().gpu.params().tdp_W;
  const auto unknown = course_of(0.0), held = course_of(ratio), high = course_of(5.0);
  CHECK(power_W(unknown) > 1.05 * most_W);
  CHECK(power_W(held) == Approx(most_W).epsilon(1e-3));
  CHECK(held.clock_Hz < 0.97 * unknown.clock_Hz);
  CHECK(held.repetition_s > unknown.repetition_s);
  CHECK(high.clock_Hz == unknown.clock_Hz);
  CHECK(high.mean_W == unknown.mean_W);
  for (const power::Chip& chip : {power::Chip{2.0, 0.0}, power::Chip{1.0, 0.04}, power::Chip{0.7, -0.03}})
    CHECK(power_W(course_of(ratio, chip), chip) == Approx(most_W).epsilon(1e-3));
}
