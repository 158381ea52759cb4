#include "clock_course.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "course_lanes.hpp"
#include "phase_law.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

/// What a kind draws whatever its clock, beside leakage: board, memory, links.
double clockless_W(const power::GpuModel& gpu, const PhaseMix& mix, double duration_s) {
  return gpu.params().board_W + transfer_J(gpu.params(), mix) / duration_s;
}

}  // namespace

PhasePower phase_power(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, const KindClock& kind,
                       double reference_Hz, double clock_Hz, double gate_Hz) {
  PhaseMix own = mix;  // its own clock is another pace
  own.matrix_s /= kind.clock;
  own.active_matrix_s /= kind.clock;
  PhasePower out = phase_power(gpu, chip, own, reference_Hz, clock_Hz, gate_Hz);
  const double steady_W = clockless_W(gpu, mix, out.duration_s);
  out.fixed_W = steady_W + kind.dynamic * (out.fixed_W - steady_W);
  out.leakage_W *= kind.leakage;
  return out;
}

void add(PhaseMix& to, const PhaseMix& mix, double share) {
  to.matrix_s += share * mix.matrix_s;
  to.memory_s += share * mix.memory_s;
  to.link_s += share * mix.link_s;
  to.wait_s += share * mix.wait_s;
  to.active_matrix_s += share * mix.active_matrix_s;
  to.hbm_s += share * mix.hbm_s;
  to.full_link_s += share * mix.full_link_s;
}

double sample_begin_frac(std::int64_t repetition) {
  constexpr double golden = 0.6180339887498949;
  const double x = golden * static_cast<double>(repetition);
  return x - std::floor(x);
}

double sample_place_frac(std::int64_t repetition, std::int64_t n_place) {
  return (static_cast<double>(repetition % n_place) + 0.5) / static_cast<double>(n_place);
}

namespace {

/// How a kind's sums differ from its power at the mean clock, see phase_power below.
KindClock kind_clock(const power::GpuModel& gpu, const power::Chip& chip, const PhaseMix& mix, const Repetition& r,
                     double clock_Hz, const CourseSums::Kind& sum) {
  KindClock out;
  out.clock = sum.work_s > 0.0 ? sum.work_cycles / sum.work_s / clock_Hz : 1.0;
  out.leakage = 1.0;
  const auto flat = phase_power(gpu, chip, mix, out, r.reference_Hz, clock_Hz, std::min(clock_Hz, r.gate_Hz));
  const double steady_W = clockless_W(gpu, mix, flat.duration_s);
  const double dynamic_W = flat.fixed_W - steady_W;
  if (flat.leakage_W > 0.0) out.leakage = sum.leakage_J / sum.s / flat.leakage_W;
  if (dynamic_W > 0.0) out.dynamic = (sum.fixed_J / sum.s - steady_W) / dynamic_W;
  return out;
}

ClockCourse course_of(const power::GpuModel& gpu, const CourseOf& of, double leakage_temperature_factor,
                      CourseSums sums) {
  const auto& [chip, r] = of;
  ClockCourse out;
  std::vector<double> one_s;  // [kind]
  one_s.reserve(r.kind_mix.size());
  for (const auto& mix : r.kind_mix)
    one_s.push_back(phase_power(gpu, chip, mix, r.reference_Hz, r.pace_Hz, 0.0).duration_s);
  for (const auto& s : r.stretches) add(out.all, r.kind_mix[s.kind], s.duration_s / one_s[s.kind]);
  out.repetition_s = sums.s / sums.n_repetition;
  out.mean_W = sums.J / sums.s;
  out.clock_Hz = sums.work_s > 0.0 ? sums.work_cycles / sums.work_s : r.pace_Hz;
  out.ratio_sum = std::move(sums.clock_sum_Hz);
  const double per_Hz = 1.0 / out.clock_Hz;
  for (double& x : out.ratio_sum) x *= per_Hz;

  // The power of all of it at the one clock, which the closed form limits; and each kind by its own.
  const auto flat = phase_power(gpu, chip, out.all, r.reference_Hz, out.clock_Hz, std::min(out.clock_Hz, r.gate_Hz));
  out.limit_W = flat.at_W(leakage_temperature_factor);
  for (std::size_t k = 0; k < r.kind_mix.size(); ++k)
    out.kind.push_back(sums.kind[k].s > 0.0 && r.kind_context[k] != 0
                           ? kind_clock(gpu, chip, r.kind_mix[k], r, out.clock_Hz, sums.kind[k])
                           : KindClock{});
  return out;
}

}  // namespace

std::vector<ClockCourse> clock_courses(const power::GpuModel& gpu, std::span<const CourseOf> of,
                                       double leakage_temperature_factor, const CourseLimits& limits) {
  auto sums = play_courses(gpu, of, leakage_temperature_factor, limits);
  std::vector<ClockCourse> out;
  out.reserve(of.size());
  for (std::size_t i = 0; i < of.size(); ++i)
    out.push_back(course_of(gpu, of[i], leakage_temperature_factor, std::move(sums[i])));
  return out;
}

ClockCourse clock_course(const power::GpuModel& gpu, const power::Chip& chip, const Repetition& repetition,
                         double leakage_temperature_factor, const CourseLimits& limits) {
  const CourseOf one[] = {{chip, repetition}};
  return std::move(clock_courses(gpu, one, leakage_temperature_factor, limits).front());
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
