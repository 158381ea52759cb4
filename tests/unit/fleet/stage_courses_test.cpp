#include "fleet/stage_courses.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "fleet/task.hpp"
#include "llama_case.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

struct Job : LlamaCase {
  StageCourses courses;
  Job() { courses.set_limits(model, type(), 700.0, type().gpu.clock_max_Hz()); }

  struct Mixes {
    std::vector<CourseMix> waits, leads;
  };
  Mixes at(double gate_Hz, double slowest_Hz) {
    Mixes out;
    courses.add(model, type(), gate_Hz, slowest_Hz, out.waits, out.leads);
    return out;
  }
  /// Highest clock of a repetition ÷ its mean.
  double highest(const CourseMix& course, double gate_Hz) const {
    const double pace[] = {gate_Hz / model.reference_clock_Hz()};
    const auto timeline = model.iteration(pace);
    const CourseRatios ratios(course, timeline, 0, pace[0]);
    double out = 0.0;
    for (std::size_t i = 0; i < timeline.classes[0].size(); ++i) out = std::max(out, ratios.at(i, 0.0, 1.0));
    return out;
  }
};

}  // namespace

TEST_CASE("a group that is ahead waits longer, and its clocks rise further meanwhile", "[fleet][course]") {
  Job job;
  const double slowest_Hz = 1.62e9;
  double before_s = 0.0;
  for (const double ahead : {1.0, 1.01, 1.02, 1.03}) {
    const auto mixes = job.at(ahead * slowest_Hz, slowest_Hz);
    REQUIRE(mixes.leads.size() == static_cast<std::size_t>(job.model.n_stage()));
    const double waits_s = mixes.waits[0].all().wait_s;
    CHECK(waits_s > before_s + (before_s > 0.0 ? 0.03 : 0.0));
    before_s = waits_s;
  }
  const auto highest_Hz = [&](double ahead) {
    const double gate_Hz = ahead * slowest_Hz;
    return gate_Hz * job.highest(job.at(gate_Hz, slowest_Hz).leads[0], gate_Hz);
  };
  CHECK(highest_Hz(1.02) > highest_Hz(1.0) + 7.5e6);  // both near the table's end
}

TEST_CASE("courses between two paces and two distances ahead are continuous", "[fleet][course]") {
  Job job;
  const double slowest_Hz = 1.62e9;
  for (const double f : {1.0099999 * slowest_Hz, 1.0100501 * slowest_Hz}) {
    const auto a = job.at(f, slowest_Hz), b = job.at(f * (1.0 + 1e-7), slowest_Hz);
    CHECK(a.waits[3].all().wait_s == Approx(b.waits[3].all().wait_s).epsilon(1e-4));
    CHECK(a.waits[3].kind(1).nominal.clock == Approx(b.waits[3].kind(1).nominal.clock).epsilon(1e-5));
    CHECK(a.waits[3].unused_W() == Approx(b.waits[3].unused_W()).epsilon(1e-4).margin(0.01));
  }
}

TEST_CASE("a chip's course lies on the plane through the nominal, a slow and a leaky one", "[fleet][course]") {
  Job job;
  const auto& course = job.courses.lead()[0];
  const auto& plane = *course.plane;
  REQUIRE(plane.slow_more.size() == course.nominal.ratio_sum.size());
  REQUIRE(plane.leaky_more.size() == course.nominal.ratio_sum.size());
  CourseMix mix(course);
  const double nominal = job.highest(mix, course.nominal.clock_Hz);
  mix.chip = {1.0, 0.0};
  const double slow = job.highest(mix, course.nominal.clock_Hz);
  // A slow chip's mean clock is further below the table's end, to which it rises in waits.
  CHECK(slow > nominal + 0.005);
  mix.chip = {0.5, 0.0};
  CHECK(job.highest(mix, course.nominal.clock_Hz) == Approx(0.5 * (slow + nominal)).margin(2e-3));
  const auto slowest = leading(course, plane.slow_Hz), same = leading(course, course.nominal.clock_Hz);
  CHECK(slowest.slow == Approx(1.0));
  CHECK(same.slow == 0.0);
  const auto place = place_of({1.0, 0.04}, job.type(), nominal_die_K);
  CHECK(place.slow == Approx(1.0));
  CHECK(place.leaky == Approx(0.0).margin(1e-12));
  CHECK(place_of({1.0, 0.0}, job.type(), nominal_die_K + 10.0).leaky > 0.3);
}

TEST_CASE("a chip that works faster has less to rise to in waits, and draws less more of its own there",
          "[fleet][course]") {
  Job job;
  const auto& course = job.courses.lead()[0];
  const double pace[] = {course.plane->slow_Hz / job.model.reference_clock_Hz()};
  const auto timeline = job.model.iteration(pace);
  std::vector<dvfs::Stretch> stretches;
  std::vector<dvfs::PhaseMix> mix;
  for (const auto& s : timeline.classes[0]) stretches.push_back({seconds(s.duration), s.kind});
  for (const auto& k : timeline.kinds) mix.push_back(mix_of(k));
  const std::vector<std::uint8_t> context(mix.size(), 1);
  const dvfs::Repetition repetition{stretches, mix, context, job.model.reference_clock_Hz(), course.plane->slow_Hz};
  const auto& type = job.type();
  const dvfs::CourseLimits limits{
      700.0, type.gpu.clock_max_Hz(), type.governor, type.sampling ? &*type.sampling : nullptr, {}};
  const auto fast = dvfs::clock_course(type.gpu, {1.0, -0.08}, repetition,
                                       type.gpu.leakage_temperature_factor(nominal_die_K), limits);
  const CourseMix nominal(course);
  std::size_t bubble = 0;  // the longest wait; others last for less than the samples of a few repetitions
  while (timeline.kinds[bubble].name != "bubble") ++bubble;
  const auto kind = nominal.kind(bubble);
  const double real = fast.kind[bubble].dynamic;
  CHECK(real < kind.nominal.dynamic - 0.01);
  CHECK(std::abs(kind.at(fast.clock_Hz).dynamic - real) < 0.5 * std::abs(kind.nominal.dynamic - real));
}

TEST_CASE("a fast chip that leaks rises in waits to the table's end, as in its own course", "[fleet][course]") {
  Job job;
  const double pace_Hz = 1.51e9;
  const double pace[] = {pace_Hz / job.model.reference_clock_Hz()};
  const auto timeline = job.model.iteration(pace);
  const std::size_t cls = timeline.classes.size() - 1;
  const ChipPlace place{-0.7, 1.8};
  std::vector<dvfs::Stretch> stretches;
  std::vector<dvfs::PhaseMix> mix;
  for (const auto& s : timeline.classes[cls]) stretches.push_back({seconds(s.duration), s.kind});
  for (const auto& k : timeline.kinds) mix.push_back(mix_of(k));
  const std::vector<std::uint8_t> context(mix.size(), 1);
  const auto& type = job.type();
  const auto own = dvfs::clock_course(
      type.gpu, chip_at(place), {stretches, mix, context, job.model.reference_clock_Hz(), pace_Hz, pace_Hz},
      type.gpu.leakage_temperature_factor(nominal_die_K),
      {700.0, type.gpu.clock_max_Hz(), type.governor, type.sampling ? &*type.sampling : nullptr, {}});
  auto course = job.at(pace_Hz, pace_Hz).waits[cls];
  course.chip = place;
  const CourseRatios ratios(course, timeline, cls, pace[0]);
  double worst = 0.0, highest_Hz = 0.0, at = 0.0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const double end = at + seconds(timeline.classes[cls][i].duration) / seconds(timeline.period);
    const double here = dvfs::RatioSpan(at, end, own.ratio_sum.size() - 1).mean(own.ratio_sum);
    worst = std::max(worst, std::abs(ratios.at(i) - here));
    highest_Hz = std::max(highest_Hz, ratios.at(i) * own.clock_Hz);
    at = end;
  }
  CHECK(highest_Hz < 1.01 * type.gpu.clock_max_Hz());
  CHECK(worst < 0.02);
}

TEST_CASE("jobs with the same work under the same limits share courses, others do not", "[fleet][course]") {
  Job a, b;
  CHECK(a.courses.lead().data() == b.courses.lead().data());
  b.courses.set_limits(b.model, b.type(), 650.0, b.type().gpu.clock_max_Hz());
  CHECK(a.courses.lead().data() != b.courses.lead().data());
  const double pace[] = {1.0};
  const auto timeline = a.model.iteration(pace);
  const double limits[] = {1.0, 2.0};
  auto type = a.type();
  const auto key = course_key(timeline, type, limits);
  type.governor.window_s *= 1.01;
  CHECK(course_key(timeline, type, limits) != key);
  type = a.type();
  type.modes[mode_step(type, thermal::fan_target_frac(type.air, nominal_die_K), 1.0)].rate_per_s[0] *= 1.01;
  CHECK(course_key(timeline, type, limits) != key);
  auto longer = timeline;
  ++longer.classes.back().back().duration;
  CHECK(course_key(longer, a.type(), limits) != key);
}

TEST_CASE("caps that move share courses one percent apart, within four watts of their own", "[fleet][course]") {
  Job job;
  const double max_Hz = job.type().gpu.clock_max_Hz();
  std::set<const ClassCourse*> shared;
  for (double cap_W = 600.0; cap_W <= 660.0; cap_W += 2.5) {
    job.courses.set_limits(job.model, job.type(), cap_W, max_Hz);
    shared.insert(job.courses.lead().data());
  }
  CHECK(shared.size() >= 9);
  CHECK(shared.size() <= 11);
  CHECK(job.courses.set_limits(job.model, job.type(), 640.0, max_Hz));
  CHECK_FALSE(job.courses.set_limits(job.model, job.type(), 640.5, max_Hz));
  // 643 W is furthest from a step, of 646.2 W; a hall whose usual cap it is has courses of its own.
  constexpr double between_W = 643.0, step_W = 700.0 * 0.92311634638663583;
  auto own_type = job.type();
  own_type.usual.cap_W = between_W;
  StageCourses own;
  own.set_limits(job.model, own_type, between_W, max_Hz);
  job.courses.set_limits(job.model, job.type(), between_W, max_Hz);
  for (std::size_t s = 0; s < own.lead().size(); ++s) {
    const auto &one = own.lead()[s].nominal, &other = job.courses.lead()[s].nominal;
    INFO("stage " << s);
    CHECK(between_W - one.limit_W == Approx(step_W - other.limit_W).margin(4.0));
    CHECK(one.kind[0].clock == Approx(other.kind[0].clock).epsilon(3e-3));
  }
}
