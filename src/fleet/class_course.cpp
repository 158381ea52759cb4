#include "class_course.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "task.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

/// A chip that needs this much more voltage stands for slow ones: 2.9 standard deviations of H100, the slowest that its spread supports.
constexpr double slow_V = 0.04;
/// And this much more leakage for leaky ones: 2.5 standard deviations of H100, in a die 10 K hotter than the nominal one, at 3 %/K.
constexpr double leaky_ratio = 2.0;

/// Of the nominal package.
dvfs::DieResponse die_response(const NodeType& type) {
  const auto& modes = course_modes(type);
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

std::vector<double> more_of(const std::vector<double>& ratio, const std::vector<double>& nominal) {
  std::vector<double> out(ratio.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = ratio[i] - nominal[i];
  return out;
}

/// [kind] from one course to another of a faster chip; none where it is not faster.
std::vector<KindSlope> slopes_between(const dvfs::ClockCourse& slow, const dvfs::ClockCourse& fast) {
  std::vector<KindSlope> out;
  const double by_Hz = fast.clock_Hz - slow.clock_Hz;
  for (std::size_t k = 0; k < slow.kind.size() && by_Hz > 1e6; ++k)
    out.push_back(
        {(fast.kind[k].dynamic - slow.kind[k].dynamic) / by_Hz, (fast.kind[k].leakage - slow.kind[k].leakage) / by_Hz});
  return out;
}

/// The slow chip of a plane.
ChipPlane begin_plane(const dvfs::ClockCourse& nominal, const dvfs::ClockCourse& slow,
                      const dvfs::CourseLimits& limits) {
  ChipPlane out;
  out.nominal_Hz = nominal.clock_Hz, out.slow_Hz = slow.clock_Hz;
  out.slow_more = more_of(slow.ratio_sum, nominal.ratio_sum);
  out.limited = !free_of_limits(slow, limits.max_Hz);
  if (out.limited) out.slow_unused_W = dvfs::limit_W(limits.cap_W, limits.governor) - slow.limit_W;
  return out;
}

/// Chips of a plane beside the nominal and the slow one.
struct OtherChips {
  static constexpr std::array<power::Chip, 3> chip = {
      {{1.0, -slow_V}, {leaky_ratio, 0.0}, {leaky_ratio, slow_V}}};  // fast, leaky, both
  /// The last one is for clocks of single chips only: a course in seven is its.
  static std::size_t count(const LimitedWork& of) { return of.single_chips ? chip.size() : chip.size() - 1; }
  /// Whether a plane has them: even its nominal chip meets the limit.
  static bool needed(const ChipPlane& plane, const dvfs::ClockCourse& nominal, double max_Hz) {
    return plane.limited && !free_of_limits(nominal, max_Hz) && nominal.clock_Hz > plane.slow_Hz + 1e6;
  }
};

/// @param others courses of OtherChips
void end_plane(const dvfs::ClockCourse& nominal, const dvfs::ClockCourse& slow,
               std::span<const dvfs::ClockCourse> others, double leakage_W, const dvfs::CourseLimits& limits,
               ChipPlane& out) {
  const double limit_W = dvfs::limit_W(limits.cap_W, limits.governor), unused_W = limit_W - nominal.limit_W;
  out.unused_W_per_Hz = (unused_W - out.slow_unused_W) / (nominal.clock_Hz - slow.clock_Hz);
  out.kind_below = slopes_between(slow, nominal);
  const auto &fast = others[0], &leaky = others[1];
  out.kind_above = slopes_between(nominal, fast);
  if (!(leakage_W > 0.0)) return;
  out.unused_per_leakage =
      (limit_W - leaky.limit_W - unused_W - out.unused_W_per_Hz * (leaky.clock_Hz - nominal.clock_Hz)) /
      ((leaky_ratio - 1.0) * leakage_W);
  out.leaky_more = more_of(leaky.ratio_sum, nominal.ratio_sum);
  if (others.size() < OtherChips::chip.size()) return;
  out.both_more = more_of(more_of(more_of(others[2].ratio_sum, nominal.ratio_sum), out.slow_more), out.leaky_more);
}

/// What the nominal chip cannot use, and where it meets no limit what the slow one cannot.
double unused_at_none_W(const ClassCourse& c, const NodeType& type, double factor, const dvfs::CourseLimits& limits) {
  const ChipPlane& p = *c.plane;
  if (!p.limited) return 0.0;
  const bool free = free_of_limits(c.nominal, limits.max_Hz);
  const double at_Hz = free ? p.slow_Hz : c.nominal.clock_Hz,
               unused_W = free ? p.slow_unused_W : dvfs::limit_W(limits.cap_W, limits.governor) - c.nominal.limit_W;
  return unused_W - p.unused_W_per_Hz * at_Hz - p.unused_per_leakage * type.gpu.params().leakage_W * factor;
}

/// A timeline's classes as repetitions for the limiter.
struct Work {
  Work(const LimitedWork& of_, const NodeType& type)
      : of(of_),
        limits{of.cap_W, of.max_Hz, type.governor, type.sampling ? &*type.sampling : nullptr, die_response(type)},
        factor(type.gpu.leakage_temperature_factor(nominal_die_K)) {
    for (const auto& k : of.timeline.kinds) mix.push_back(mix_of(k)), context.push_back(k.context ? 1 : 0);
  }
  std::vector<dvfs::Stretch> stretches(std::size_t cls) const {
    std::vector<dvfs::Stretch> out;
    for (const auto& s : of.timeline.classes[cls]) out.push_back({seconds(s.duration), s.kind});
    for (std::size_t i = 0; i < out.size() && !of.bounds.empty(); ++i) out[i].bounds = of.bounds[cls][i];
    return out;
  }
  dvfs::Repetition repetition(std::span<const dvfs::Stretch> stretches) const {
    return {stretches, mix, context, of.reference_Hz, of.pace_Hz};
  }
  /// [repetition] its course on a chip.
  std::vector<dvfs::ClockCourse> courses(const NodeType& type, const power::Chip& chip,
                                         std::span<const dvfs::Repetition> repetitions) const {
    std::vector<dvfs::CourseOf> asked;
    for (const auto& r : repetitions) asked.push_back({chip, r});
    return dvfs::clock_courses(type.gpu, asked, factor, limits);
  }
  const LimitedWork& of;
  dvfs::CourseLimits limits;
  double factor;  ///< of leakage at the nominal die's temperature
  std::vector<dvfs::PhaseMix> mix;
  std::vector<std::uint8_t> context;
};

/// [repetition] planes without their places. Chips of all go side by side.
std::vector<ChipPlane> planes_of(const Work& work, const NodeType& type, std::span<const dvfs::Repetition> repetitions,
                                 std::span<const dvfs::ClockCourse> nominal) {
  const double max_Hz = work.limits.max_Hz, leakage_W = type.gpu.params().leakage_W * work.factor;
  const std::size_t n_other = OtherChips::count(work.of);
  const auto slow = work.courses(type, {1.0, slow_V}, repetitions);
  std::vector<ChipPlane> out;
  std::vector<dvfs::CourseOf> asked;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    out.push_back(begin_plane(nominal[i], slow[i], work.limits));
    if (!OtherChips::needed(out[i], nominal[i], max_Hz)) continue;
    for (std::size_t k = 0; k < n_other; ++k) asked.push_back({OtherChips::chip[k], repetitions[i]});
  }
  const auto played = dvfs::clock_courses(type.gpu, asked, work.factor, work.limits);
  auto others = std::span(played);
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    if (!OtherChips::needed(out[i], nominal[i], max_Hz)) continue;
    end_plane(nominal[i], slow[i], others.first(n_other), leakage_W, work.limits, out[i]);
    others = others.subspan(n_other);
  }
  return out;
}

/// [segment] clock of the rank that leads, of the same timeline, ÷ its mean.
std::vector<double> lead_ratios(const ClassCourse& lead, const workload::Timeline& timeline, std::size_t cls,
                                double pace_Hz, double pace) {
  const auto& segments = timeline.classes[cls];
  const auto& own_sum = lead.own_sum.empty() ? lead.nominal.ratio_sum : lead.own_sum;
  const ChipPlane& plane = *lead.plane;
  const double slow = leading(lead, pace_Hz).slow;
  const auto of_plane =
      spans_of(*plane.places, std::max<std::size_t>(2, plane.slow_more.size()) - 1, timeline, segments, pace, 0);
  std::vector<double> out;
  out.reserve(segments.size());
  const double per_tick = 1.0 / static_cast<double>(timeline.period);
  Tick at = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double begin = static_cast<double>(at) * per_tick,
                 end = static_cast<double>(at += segments[i].duration) * per_tick;
    double ratio = dvfs::RatioSpan(begin, end, own_sum.size() - 1).mean(own_sum);
    if (slow != 0.0 && plane.slow_more.size() > 1) ratio += slow * of_plane[i].mean(plane.slow_more);
    out.push_back(ratio);
  }
  return out;
}

}  // namespace

const thermal::PackageModes& course_modes(const NodeType& type) {
  return type.modes[mode_step(type, thermal::fan_target_frac(type.air, nominal_die_K), 1.0)];
}

std::vector<ClassCourse> class_courses(const LimitedWork& of, const NodeType& type, std::span<const ClassCourse> lead,
                                       std::span<const ClassCourse> base) {
  const Work work(of, type);
  const auto& timeline = of.timeline;
  const double pace = of.pace_Hz / of.reference_Hz;
  const std::size_t n_class = timeline.classes.size();
  std::vector<std::vector<dvfs::Stretch>> stretches;
  std::vector<std::vector<double>> gate_ratio(n_class);
  std::vector<dvfs::Repetition> repetition;
  stretches.reserve(n_class);
  for (std::size_t cls = 0; cls < n_class; ++cls) stretches.push_back(work.stretches(cls));
  for (std::size_t cls = 0; cls < n_class; ++cls) {
    auto& r = repetition.emplace_back(work.repetition(stretches[cls]));
    if (lead.empty()) continue;
    gate_ratio[cls] = lead_ratios(lead[cls], timeline, cls, of.pace_Hz, pace);
    r.gate_Hz = of.pace_Hz, r.gate_ratio = gate_ratio[cls];
  }
  auto nominal = work.courses(type, {}, repetition);
  auto planes = base.empty() ? planes_of(work, type, repetition, nominal) : std::vector<ChipPlane>{};
  std::vector<ClassCourse> out;
  for (std::size_t cls = 0; cls < n_class; ++cls) {
    ClassCourse c;
    c.nominal = std::move(nominal[cls]);
    if (base.empty()) {
      planes[cls].places = lead.empty() ? places_of(timeline, cls, pace) : lead[cls].plane->places;
      c.plane = std::make_shared<const ChipPlane>(std::move(planes[cls]));
    } else {
      c.plane = base[cls].plane;
      auto own = std::move(c.nominal.ratio_sum);
      c.nominal.ratio_sum =
          at_places(own, *places_of(timeline, cls, pace), *c.plane->places, base[cls].nominal.ratio_sum.size() - 1);
      if (lead.empty()) c.own_sum = std::move(own);  // for those that wait for it
    }
    c.unused_W = unused_at_none_W(c, type, work.factor, work.limits);
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<dvfs::ClockCourse> slow_courses(const LimitedWork& of, const NodeType& type, bool once) {
  Work work(of, type);
  if (once) work.limits.mean_s = 0.0;
  std::vector<std::vector<dvfs::Stretch>> stretches;
  std::vector<dvfs::Repetition> repetition;
  stretches.reserve(of.timeline.classes.size());
  repetition.reserve(of.timeline.classes.size());
  for (std::size_t cls = 0; cls < of.timeline.classes.size(); ++cls) stretches.push_back(work.stretches(cls));
  for (const auto& of_class : stretches) repetition.push_back(work.repetition(of_class));
  return work.courses(type, {1.0, slow_V}, repetition);
}

double slow_pace_Hz(std::span<const dvfs::ClockCourse> slow) {
  double out_Hz = std::numeric_limits<double>::infinity();
  for (const auto& course : slow) out_Hz = std::min(out_Hz, course.clock_Hz);
  return out_Hz;
}

void CourseMix::add(const ClassCourse& course, double of_it) {
  for (std::size_t i = 0; i < n; ++i)
    if (of[i] == &course) {
      weight[i] += of_it;
      return;
    }
  of[n] = &course, weight[n++] = of_it;
}

KindCourse CourseMix::kind(std::size_t k) const {
  if (n == 0 || k >= of[0]->nominal.kind.size()) return {};
  const auto at = [k](const ClassCourse& c) -> const dvfs::KindClock& { return c.nominal.kind[k]; };
  const ChipPlane& plane = *of[0]->plane;
  const auto slope = [k](const std::vector<KindSlope>& of_kind) {
    return k < of_kind.size() ? of_kind[k] : KindSlope{};
  };
  return {{mean([&](const ClassCourse& c) { return at(c).clock; }),
           mean([&](const ClassCourse& c) { return at(c).dynamic; }),
           mean([&](const ClassCourse& c) { return at(c).leakage; })},
          mean([](const ClassCourse& c) { return c.nominal.clock_Hz; }),
          slope(plane.kind_below),
          slope(plane.kind_above)};
}

dvfs::PhaseMix CourseMix::all() const {
  dvfs::PhaseMix out;
  for (std::size_t i = 0; i < n; ++i) dvfs::add(out, of[i]->nominal.all, weight[i]);
  return out;
}

ChipPlace place_of(const power::Chip& chip, const NodeType& type, double die_K) {
  const double leakage_factor =
      type.gpu.leakage_temperature_factor(die_K) / type.gpu.leakage_temperature_factor(nominal_die_K);
  return {chip.voltage_offset_V / slow_V, (chip.leakage_ratio * leakage_factor - 1.0) / (leaky_ratio - 1.0)};
}

power::Chip chip_at(const ChipPlace& place) { return {1.0 + place.leaky * (leaky_ratio - 1.0), place.slow * slow_V}; }

ChipPlace leading(const ClassCourse& course, double gate_Hz) {
  const double per_slow_Hz = course.plane->nominal_Hz - course.plane->slow_Hz;
  if (!(per_slow_Hz > 1e6)) return {};
  return {std::clamp((course.nominal.clock_Hz - gate_Hz) / per_slow_Hz, 0.0, 1.5), 0.0};
}

namespace {

struct Scaled {
  double share;
  const double* of;
};
/// Four at once, so that what they are added to passes through memory once.
TIDEWATT_CLONES
void add_scaled(const Scaled* four, std::size_t n, double* to) {
  const auto [a, of_a] = four[0];
  const auto [b, of_b] = four[1];
  const auto [c, of_c] = four[2];
  const auto [d, of_d] = four[3];
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i)
    to[i] = std::fma(d, of_d[i], std::fma(c, of_c[i], std::fma(b, of_b[i], std::fma(a, of_a[i], to[i]))));
}

/// Sum of the clock's ratio over a mean of courses.
std::vector<double> mixed_sum(const CourseMix& course) {
  const auto [slow, leaky] = course.chip;
  const ChipPlane& plane = *course.of[0]->plane;
  std::vector<double> out(course.of[0]->nominal.ratio_sum.size(), 0.0);
  std::array<Scaled, CourseMix::most + 3> terms;
  std::size_t n = 0;
  const auto add = [&](double share, const std::vector<double>& of) {
    if (share != 0.0 && of.size() == out.size()) terms[n++] = {share, of.data()};
  };
  for (std::size_t c = 0; c < course.n; ++c) add(course.weight[c], course.of[c]->nominal.ratio_sum);
  add(slow, plane.slow_more);
  add(leaky, plane.leaky_more);
  add(slow > 0.0 && leaky > 0.0 ? slow * leaky : 0.0, plane.both_more);  // beyond the four chips nothing is known of it
  for (; n % 4 != 0; ++n) terms[n] = {0.0, out.data()};
  for (std::size_t i = 0; i < n; i += 4) add_scaled(&terms[i], out.size(), out.data());
  return out;
}

}  // namespace

CourseRatios::CourseRatios(const CourseMix& course, const workload::Timeline& timeline, std::size_t cls, double pace,
                           const CourseRatios* beside, Tick second_begin)
    : places_(course.of[0]->plane->places), ratio_sum_(mixed_sum(course)) {
  if (beside != nullptr && beside->places_ == places_ && beside->ratio_sum_.size() == ratio_sum_.size())
    spans_ = beside->spans_;
  else
    spans_ = std::make_shared<const std::vector<dvfs::RatioSpan>>(
        spans_of(*places_, ratio_sum_.size() - 1, timeline, timeline.classes[cls], pace, second_begin));
}

}  // namespace TIDEWATT_NAMESPACE::fleet
