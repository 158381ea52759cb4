#include "fleet/held_courses.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "fleet/stage_courses.hpp"
#include "llama_case.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

PowerHold smoothing(double ramp_down_W_per_s) {
  PowerHold out;
  out.smoothing = mitigation::GpuSmoothingParams{0.65, 700.0, ramp_down_W_per_s, 2.0};
  return out;
}

struct Job : LlamaCase {
  double limit_W() const { return 700.0 - type().governor.cap_margin_W; }
  std::size_t n_stage() const { return static_cast<std::size_t>(model.n_stage()); }

  /// Of a hold, at a pace; the stages under it.
  struct Lead {
    StageCourses courses;
    std::vector<CourseMix> waits, leads;
  };
  Lead lead(const PowerHold& hold, double pace_Hz) const {
    Lead out{StageCourses(false, hold), {}, {}};
    out.courses.set_limits(model, type(), 700.0, type().gpu.clock_max_Hz());
    out.courses.add(model, type(), pace_Hz, pace_Hz, out.waits, out.leads);
    return out;
  }
};

double mean_Hz(const CourseMix& of) {
  return of.mean([](const ClassCourse& c) { return c.nominal.clock_Hz; });
}

}  // namespace

TEST_CASE("the limiter of held work sees what smoothing burns: less clock at the same mean power", "[fleet][course]") {
  const Job job;
  constexpr double pace_Hz = 1.47e9;
  const auto plain = job.lead({}, pace_Hz), held = job.lead(smoothing(100.0), pace_Hz);
  double held_W = 0.0, plain_W = 0.0;
  for (std::size_t s = 0; s < job.n_stage(); ++s) {
    INFO("stage " << s);
    CHECK(mean_Hz(held.leads[s]) < 0.995 * mean_Hz(plain.leads[s]));
    CHECK(held.leads[s].of[0]->nominal.mean_W == Approx(job.limit_W()).epsilon(2e-3));
    CHECK(held.leads[s].unused_W() > 10.0);
    held_W += held.leads[s].unused_W(), plain_W += plain.leads[s].unused_W();
  }
  CHECK(held_W > 2.0 * plain_W);
  // Waits do not raise the clock to the table's end: they burn nearly what work draws.
  const double pace[] = {pace_Hz / job.model.reference_clock_Hz()};
  const auto timeline = job.model.iteration(pace);
  const auto highest = [&](const CourseMix& course) {
    const CourseRatios ratios(course, timeline, 3, pace[0]);
    double out = 0.0;
    for (std::size_t i = 0; i < timeline.classes[3].size(); ++i) out = std::max(out, ratios.at(i, 0.0, 1.0));
    return out;
  };
  CHECK(highest(held.leads[3]) < highest(plain.leads[3]) - 0.05);
  CHECK(highest(held.leads[3]) > 1.01);  // and yet the clock moves
}

TEST_CASE("smoothing follows chips that draw the limit with what they burn", "[fleet][course]") {
  const Job job;
  const double pace[] = {0.85};
  const auto timeline = job.model.iteration(pace);
  const std::size_t n_class = timeline.classes.size();
  const double reference_Hz = job.model.reference_clock_Hz();
  const auto hold = smoothing(100.0);
  HeldRepetition held(timeline, hold, job.type(), 692.0, reference_Hz,
                      std::vector<double>(n_class, pace[0] * reference_Hz));
  const std::vector<double> limit_W(n_class, job.limit_W()), most(n_class, 2.5);
  std::vector<double> slow(n_class, 0.0);
  const auto nominal_W = held.play(slow);
  held.play_at_limit(limit_W, most, slow);
  const auto mean_W = held.play(slow);
  for (std::size_t c = 0; c < n_class; ++c) {
    INFO("class " << c);
    CHECK(std::abs(mean_W[c] - limit_W[c]) < 2.0);
    CHECK((slow[c] > 0.0) == (nominal_W[c] < limit_W[c]));
  }
  // A clock that no power sets: the nominal chip, or a better one where that draws too much.
  held.play_at_limit(limit_W, std::vector<double>(n_class, 0.0), slow);
  CHECK(*std::max_element(slow.begin(), slow.end()) <= 0.0);
  const auto work = held.work();
  REQUIRE(work.bounds.size() == n_class);
  CHECK(work.bounds[0].size() == work.timeline.classes[0].size());
  CHECK(work.timeline.kinds.size() == timeline.kinds.size());
  // Every wait burns at least the floor, after two seconds of hysteresis, too.
  for (std::size_t i = 0; i < work.bounds[0].size(); ++i)
    if (timeline.kinds[work.timeline.classes[0][i].kind].name == "bubble")
      CHECK(work.bounds[0][i].low_W >= 0.65 * 700.0 - 1e-6);
}

TEST_CASE("two iterations that are one repetition have the course twice", "[fleet][course]") {
  const Job job;
  constexpr double pace_Hz = 1.49e9;
  const auto at = job.lead(smoothing(100.0), pace_Hz);
  const double pace[] = {pace_Hz / job.model.reference_clock_Hz()};
  const auto one = job.model.iteration(pace);
  auto two = one;
  two.period *= 2;
  for (auto& segments : two.classes) {
    const auto first = segments;
    segments.insert(segments.end(), first.begin(), first.end());
  }
  const CourseRatios once(at.leads[2], one, 2, pace[0]), twice(at.leads[2], two, 2, pace[0], nullptr, one.period);
  const std::size_t n = one.classes[2].size();
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(twice.at(i, 0.0, 1.0) == once.at(i, 0.0, 1.0));
    CHECK(twice.at(n + i, 0.0, 1.0) == once.at(i, 0.0, 1.0));
  }
}

TEST_CASE("a held kind has the clock of its own segments", "[fleet][course]") {
  const Job job;
  constexpr double pace_Hz = 1.47e9;
  auto at = job.lead(smoothing(100.0), pace_Hz);
  FleetTask task;
  const double pace[] = {pace_Hz / job.model.reference_clock_Hz()};
  const auto work = job.model.iteration(pace);
  // Each segment as a kind of its own.
  auto timeline = work;
  std::vector<std::uint32_t> from_kind;
  timeline.kinds.clear();
  for (auto& segments : timeline.classes)
    for (auto& s : segments) {
      timeline.kinds.push_back(work.kinds[s.kind]);
      from_kind.push_back(s.kind);
      s.kind = static_cast<std::uint32_t>(timeline.kinds.size() - 1);
    }
  task.timeline = &timeline;
  task.reference_Hz = job.model.reference_clock_Hz();
  task.class_course = at.waits, task.class_lead = at.leads;
  task.class_gate_Hz.assign(job.n_stage(), pace_Hz);
  task.class_kinds = held_kinds(task, job.type(), from_kind);
  const CourseRatios ratios(task.class_course[1], timeline, 1, pace[0]);
  double low = 2.0, high = 0.0;
  for (std::size_t i = 0; i < timeline.classes[1].size(); ++i) {
    const auto kind = timeline.classes[1][i].kind;
    const double clock = kind_course(task, 1, kind).nominal.clock;
    CHECK(clock == Approx(ratios.at(i, 0.0, 1.0)).epsilon(1e-12));
    low = std::min(low, clock), high = std::max(high, clock);
  }
  CHECK(high > low + 0.02);
  // One of another class has none here.
  CHECK(kind_course(task, 1, timeline.classes[2][0].kind).nominal.clock == 1.0);
}
