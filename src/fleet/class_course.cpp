#include "class_course.hpp"

#include <algorithm>
#include <utility>

#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// A chip that needs this much more voltage stands for slow ones: about 10 % in clock [assumed]; only slopes are used.
constexpr double slow_V = 0.06;
constexpr double leaky_ratio =
    1.7;  ///< and this much more leakage for leaky ones, or for dies hotter by 18 K at 3 %/K [assumed]

/// Of the nominal package, fans at the nominal die's speed.
dvfs::DieResponse die_response(const NodeType& type) {
  const auto& modes = type.modes[mode_step(type, thermal::fan_target_frac(type.air, nominal_die_K), 1.0)];
  dvfs::DieResponse out;
  for (std::size_t m = 0; m < thermal::n_mode; ++m) {
    out.rate_per_s[m] = modes.rate_per_s[m];
    out.K_per_J[m] = modes.shape[0][m] * modes.gain_K_per_J[m];
  }
  return out;
}

/// Whether the limiter never acts: then nothing is unused.
bool free_of_limits(const dvfs::ClockCourse& course, double max_Hz) {
  return course.clock_Hz >= max_Hz - 1.01 * power::GpuModel::bin_Hz;  // its clocks are whole bins
}

/// The plane through the nominal chip, a slow one and a leaky one.
void set_unused(ClassCourse& c, const NodeType& type, const dvfs::Repetition& repetition, double factor,
                const dvfs::CourseLimits& limits) {
  const double limit_W = limits.cap_W - limits.governor.cap_margin_W, leakage_W = type.gpu.params().leakage_W * factor;
  const auto slow = dvfs::clock_course(type.gpu, {1.0, slow_V}, repetition, factor, limits);
  if (free_of_limits(slow, limits.max_Hz)) return;
  const double slow_unused_W = limit_W - slow.limit_W, unused_W = limit_W - c.nominal.limit_W;
  if (!free_of_limits(c.nominal, limits.max_Hz) && c.nominal.clock_Hz > slow.clock_Hz + 1e6) {
    c.unused_W_per_Hz = (unused_W - slow_unused_W) / (c.nominal.clock_Hz - slow.clock_Hz);
    if (leakage_W > 0.0) {
      const auto leaky = dvfs::clock_course(type.gpu, {leaky_ratio, 0.0}, repetition, factor, limits);
      c.unused_per_leakage =
          (limit_W - leaky.limit_W - unused_W - c.unused_W_per_Hz * (leaky.clock_Hz - c.nominal.clock_Hz)) /
          ((leaky_ratio - 1.0) * leakage_W);
    }
  }
  c.unused_W = slow_unused_W - c.unused_W_per_Hz * slow.clock_Hz - c.unused_per_leakage * leakage_W;
}

/// Work in a segment, s at the reference clock: none in waits.
double work_s(const workload::PhaseKind& kind, double duration_s, double pace) {
  const double work = kind.matrix_s + kind.memory_s + kind.link_s;
  return work > 0.0 ? duration_s * work / (kind.matrix_s / pace + kind.memory_s + kind.link_s + kind.wait_s) : 0.0;
}

/// [segment] work until its end ÷ all of it.
std::vector<double> progress(const workload::Timeline& timeline, std::size_t cls, double pace) {
  std::vector<double> out;
  double sum_s = 0.0;
  for (const auto& s : timeline.classes[cls])
    out.push_back(sum_s += work_s(timeline.kinds[s.kind], seconds(s.duration), pace));
  for (double& x : out) x /= std::max(1e-300, sum_s);
  return out;
}

constexpr double same_work = 1e-5;  ///< of all of it

/// Where in a course work begins or ends.
struct Place {
  const ClassCourse& course;
  std::size_t at = 0;  ///< moves forward
  double begin_of(std::size_t i) const { return i == 0 ? 0.0 : course.end_frac[i - 1]; }
  double inside(double done) const {
    const double before = at == 0 ? 0.0 : course.done_s[at - 1], here = course.done_s[at] - before;
    const double share = here > 0.0 ? std::clamp((done - before) / here, 0.0, 1.0) : 0.0;
    return begin_of(at) + share * (course.end_frac[at] - begin_of(at));
  }
  /// The latest time at which no more than `done` is done: after a wait.
  double after(double done) {
    while (at + 1 < course.done_s.size() && course.done_s[at] <= done + same_work) ++at;
    return course.done_s[at] <= done + same_work ? 1.0 : inside(done);
  }
  /// The earliest time at which `done` is done: before a wait.
  double before(double done) {
    while (at + 1 < course.done_s.size() && course.done_s[at] < done - same_work) ++at;
    return inside(done);
  }
};

}  // namespace

std::vector<ClassCourse> class_courses(const workload::Timeline& timeline, const NodeType& type, double reference_Hz,
                                       double pace_Hz, double cap_W, double max_Hz, std::span<const ClassCourse> lead) {
  std::vector<dvfs::PhaseMix> mix;
  std::vector<std::uint8_t> context;
  for (const auto& k : timeline.kinds) mix.push_back(mix_of(k)), context.push_back(k.context ? 1 : 0);
  const dvfs::CourseLimits limits{cap_W, max_Hz, type.governor, type.sampling ? &*type.sampling : nullptr,
                                  die_response(type)};
  const double factor = type.gpu.leakage_temperature_factor(nominal_die_K);
  std::vector<ClassCourse> out;
  std::vector<dvfs::Stretch> stretches;
  for (std::size_t cls = 0; cls < timeline.classes.size(); ++cls) {
    stretches.clear();
    for (const auto& s : timeline.classes[cls]) stretches.push_back({seconds(s.duration), s.kind});
    dvfs::Repetition repetition{stretches, mix, context, reference_Hz, pace_Hz};
    if (!lead.empty()) repetition.gate_Hz = pace_Hz, repetition.gate_kind = lead[cls].nominal.kind;
    ClassCourse c;
    c.nominal = dvfs::clock_course(type.gpu, {}, repetition, factor, limits);
    set_unused(c, type, repetition, factor, limits);
    c.done_s = progress(timeline, cls, pace_Hz / reference_Hz);
    Tick at = 0;
    for (const auto& s : timeline.classes[cls])
      c.end_frac.push_back(static_cast<double>(at += s.duration) / static_cast<double>(timeline.period));
    out.push_back(std::move(c));
  }
  return out;
}

dvfs::KindClock CourseMix::kind(std::size_t k) const {
  if (slower == nullptr || k >= slower->nominal.kind.size()) return {};
  const auto &a = slower->nominal.kind[k], &b = faster->nominal.kind[k];
  return {between(a.clock, b.clock), between(a.dynamic, b.dynamic), between(a.leakage, b.leakage)};
}

dvfs::PhaseMix CourseMix::all() const {
  const auto &a = slower->nominal.all, &b = faster->nominal.all;
  return {between(a.matrix_s, b.matrix_s),
          between(a.memory_s, b.memory_s),
          between(a.link_s, b.link_s),
          between(a.wait_s, b.wait_s),
          between(a.active_matrix_s, b.active_matrix_s),
          between(a.hbm_s, b.hbm_s),
          between(a.full_link_s, b.full_link_s)};
}

CourseRatios::CourseRatios(const CourseMix& course, const workload::Timeline& timeline, std::size_t cls, double pace)
    : course_(course) {
  const auto& segments = timeline.classes[cls];
  const auto done = progress(timeline, cls, pace);
  for (auto* to : {&slower_, &faster_}) {
    Place begins{to == &slower_ ? *course.slower : *course.faster}, ends = begins;
    for (std::size_t i = 0; i < segments.size();) {
      const double before = i == 0 ? 0.0 : done[i - 1];
      if (done[i] > before) {
        to->push_back({begins.after(before), ends.before(done[i])});
        ++i;
        continue;
      }
      // A wait, in one or more segments, is the course's wait at the same place.
      std::size_t end = i;
      Tick length = 0;
      while (end < segments.size() && !(done[end] > before)) length += segments[end++].duration;
      const double from = i == 0 ? 0.0 : ends.before(before),
                   until = end == segments.size() ? 1.0 : begins.after(before);
      Tick at = 0;
      for (; i < end; ++i) {
        const double a = static_cast<double>(at) / static_cast<double>(length);
        at += segments[i].duration;
        to->push_back(
            {from + a * (until - from), from + static_cast<double>(at) / static_cast<double>(length) * (until - from)});
      }
    }
  }
}

double CourseRatios::at(std::size_t segment, double from_frac, double to_frac) const {
  const auto mean = [&](const ClassCourse& c, const Span& s) {
    return c.nominal.mean_ratio(s.from + from_frac * (s.to - s.from), s.from + to_frac * (s.to - s.from));
  };
  const double slow = mean(*course_.slower, slower_[segment]);
  return course_.slower == course_.faster ? slow : course_.between(slow, mean(*course_.faster, faster_[segment]));
}

}  // namespace TIDEWATT_NAMESPACE::fleet
