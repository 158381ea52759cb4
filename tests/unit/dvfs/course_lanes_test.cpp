#include "dvfs/course_lanes.hpp"

#include <algorithm>

#include "catch.hpp"
#include "sampled_run.hpp"

using namespace tidewatt;
using namespace tidewatt::dvfs;

namespace {

/// Work of different lengths and powers, waits between it.
struct Plan {
  std::vector<PhaseMix> mix{work(0.6), work(0.95), wait()};
  std::vector<std::uint8_t> context{1, 1, 0};
  std::vector<std::vector<Stretch>> stretches;
  std::vector<Repetition> repetition;
  static PhaseMix work(double activity) {
    PhaseMix m;
    m.matrix_s = 0.02, m.active_matrix_s = activity * 0.02, m.memory_s = 0.002, m.hbm_s = 0.006;
    return m;
  }
  static PhaseMix wait() {
    PhaseMix m;
    m.wait_s = 0.02;
    return m;
  }
  explicit Plan(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      stretches.push_back({{0.3 + 0.07 * static_cast<double>(i), 0}, {0.05, 2}, {0.4, 1}, {0.011, 2}});
    for (std::size_t i = 0; i < n; ++i) {
      Repetition r{stretches[i], mix, context, twin_reference_Hz, twin_reference_Hz};
      if (i % 3 == 2) r.pace_Hz = r.gate_Hz = 1.6e9;
      repetition.push_back(r);
    }
  }
  std::vector<CourseOf> courses() const {
    std::vector<CourseOf> out;
    for (std::size_t i = 0; i < repetition.size(); ++i)
      out.push_back({{1.0 + 0.05 * static_cast<double>(i), 0.004 * static_cast<double>(i % 5)}, repetition[i]});
    return out;
  }
};

std::vector<CourseSums> play(std::span<const CourseOf> of, double cap_W = 700.0) {
  static const auto sampling = sampled_params();
  const double factor = h100().gpu.leakage_temperature_factor(333.15);
  const DieResponse die{{0.8, 0.05, 0.01}, {0.02, 0.002, 0.0005}};
  return play_courses(h100().gpu, of, factor, {cap_W, 1.98e9, h100().governor, &sampling, die});
}

}  // namespace

TEST_CASE("a course has the same bits alone and beside others, in any lane", "[dvfs][course]") {
  const Plan plan(19);  // lanes take the next course when one ends
  const auto of = plan.courses();
  const auto together = play(of);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto alone = play(std::span(of).subspan(i, 1)).front();
    CHECK(alone.J == together[i].J);
    CHECK(alone.s == together[i].s);
    CHECK(alone.work_cycles == together[i].work_cycles);
    CHECK(alone.clock_sum_Hz == together[i].clock_sum_Hz);
  }
  CHECK(play({}).empty());
}

TEST_CASE("kinds and parts of a course have the sums of the whole", "[dvfs][course]") {
  const Plan plan(3);
  const auto of = plan.courses();
  for (const auto& sums : play(of)) {
    double s = 0.0, work_s = 0.0, cycles = 0.0;
    for (const auto& k : sums.kind) s += k.s, work_s += k.work_s, cycles += k.work_cycles;
    CHECK(s == Approx(sums.s).epsilon(1e-12));
    CHECK(work_s == Approx(sums.work_s).epsilon(1e-12));
    CHECK(cycles == Approx(sums.work_cycles).epsilon(1e-12));
    CHECK(std::is_sorted(sums.clock_sum_Hz.begin(), sums.clock_sum_Hz.end()));
    const double mean_Hz = sums.clock_sum_Hz.back() / static_cast<double>(sums.clock_sum_Hz.size() - 1);
    CHECK(mean_Hz > h100().gpu.clock_min_Hz());
    CHECK(mean_Hz < h100().gpu.clock_max_Hz());
  }
}

TEST_CASE("work that never waits is at the limit, and takes as long as its clock makes it", "[dvfs][course]") {
  Plan plan(1);
  plan.stretches[0] = {{0.7, 1}};
  plan.repetition[0].stretches = plan.stretches[0];
  const auto of = plan.courses();
  for (const double cap_W : {450.0, 600.0}) {
    const auto sums = play(of, cap_W).front();
    CHECK(sums.J / sums.s == Approx(cap_W - h100().governor.cap_margin_W).epsilon(2e-3));
    const auto p =
        phase_power(h100().gpu, of[0].chip, plan.mix[1], twin_reference_Hz, sums.work_cycles / sums.work_s, 0.0);
    const auto whole = phase_power(h100().gpu, {}, plan.mix[1], twin_reference_Hz, twin_reference_Hz, 0.0);
    CHECK(sums.s / sums.n_repetition == Approx(0.7 * p.duration_s / whole.duration_s).epsilon(1e-3));
  }
}
