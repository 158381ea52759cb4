#include "fleet/task.hpp"

#include <algorithm>

#include "catch.hpp"
#include "fleet/step_lengths.hpp"
#include "h100.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

workload::Timeline two_kinds() {
  workload::Timeline t;
  t.kinds = {{"work", 0.8, 0.1, 0.1, 0, 1, 0.3, 0.8, 0.5, true}, {"bubble", 0, 0, 0, 1, 0, 0, 0, 0, true}};
  t.classes = {{{2 * ns_per_s, 0}, {ns_per_s, 1}, {ns_per_s / 2, 0}}};
  t.period = 7 * ns_per_s / 2;
  return t;
}

Tick total(const std::vector<workload::Segment>& segments) {
  Tick sum = 0;
  for (const auto& s : segments) sum += s.duration;
  return sum;
}

}  // namespace

TEST_CASE("the limiter's window is the one that draws most, also across the repetition's end") {
  const std::vector<double> W = {690, 150};
  auto t = two_kinds();
  const auto all_work = worst_window(t, 0, W, 1.0);
  CHECK(all_work.wait_s == 0.0);
  CHECK(all_work.matrix_s == Approx(0.8));
  // 2.5 s of work stand together only because the end joins the start.
  const auto wrapped = worst_window(t, 0, W, 2.5);
  CHECK(wrapped.wait_s == 0.0);
  CHECK(wrapped.matrix_s == Approx(2.0));
  const auto longer = worst_window(t, 0, W, 100.0);  // never longer than the repetition
  CHECK(longer.wait_s == Approx(1.0));
}

TEST_CASE("a cut timeline keeps what came before the cut, to the nanosecond") {
  const auto t = slice(two_kinds(), 0, 2 * ns_per_s + 7);
  CHECK(t.period == 2 * ns_per_s + 7);
  REQUIRE(t.classes[0].size() == 2);
  CHECK(t.classes[0][1].duration == 7);
  const auto rest = slice(two_kinds(), 2 * ns_per_s + 7, two_kinds().period);
  CHECK(total(rest.classes[0]) == rest.period);
  CHECK(rest.classes[0].front().duration == ns_per_s - 7);
}

TEST_CASE("graded steps start at 10 ms after every edge, never cross one and add up") {
  const auto t = two_kinds();
  const auto g = graded(t);
  CHECK(total(g.classes[0]) == t.period);
  CHECK(g.classes[0].front().duration == 10 * ns_per_ms);
  Tick at = 0;
  std::vector<Tick> edges;
  for (const auto& s : g.classes[0]) edges.push_back(at += s.duration);
  CHECK(std::find(edges.begin(), edges.end(), 2 * ns_per_s) != edges.end());
  CHECK(std::find(edges.begin(), edges.end(), 3 * ns_per_s) != edges.end());
}

TEST_CASE("graded steps of very many segments of one kind stay finite") {
  // Doubled without bound, a step went below 0 after some 40 of them, then to 0, and the steps never ended.
  workload::Timeline t;
  t.kinds.resize(1);
  t.classes.emplace_back();
  for (int i = 0; i < 100; ++i) t.classes.front().push_back({3 * ns_per_ms, 0});
  t.period = 300 * ns_per_ms;
  const auto g = graded(t);
  CHECK(g.classes[0].size() == 100);
  CHECK(total(g.classes[0]) == t.period);
}

namespace {

/// Power of a class over its held timeline, segment by segment.
std::vector<double> drawn_W(const HeldTimeline& h, std::size_t cls, const workload::Timeline& from,
                            const std::vector<double>& natural) {
  std::vector<double> out;
  for (const auto& seg : h.timeline.classes[cls]) {
    std::size_t k = 0;
    while (from.kinds[k].name != h.timeline.kinds[seg.kind].name) ++k;
    out.push_back(std::max(h.low_W[seg.kind], std::min(natural[k], h.high_W[seg.kind])));
  }
  return out;
}

HeldTimeline held(const workload::Timeline& t, const PowerHold& hold, const std::vector<double>& natural,
                  std::uint32_t wait, HoldState& state) {
  const std::vector<std::vector<double>> W(t.classes.size(), natural);
  const std::vector<double> waiting(t.classes.size(), natural[wait]);
  std::vector<HoldState> states(t.classes.size(), state);
  auto out = hold_power(t, hold, {700}, W, wait, waiting, states);
  state = states.front();
  return out;
}

PowerHold smoothing(double floor, double up, double down, double hysteresis) {
  PowerHold h;
  h.smoothing = mitigation::GpuSmoothingParams{floor, up, down, hysteresis};
  return h;
}

}  // namespace

TEST_CASE("smoothing holds its floor in the waiting kind and its classes stay together") {
  const auto t = two_kinds();
  const std::vector<double> natural = {690, 150};
  HoldState state{{690, 0}, {}};
  const auto s = held(t, smoothing(0.6, 1e6, 1e6, 2.0), natural, 1, state);
  CHECK(total(s.timeline.classes[0]) == s.timeline.period);
  const auto W = drawn_W(s, 0, t, natural);
  CHECK(*std::min_element(W.begin(), W.end()) == Approx(420).epsilon(0.02));
}

TEST_CASE("who is throttled waits less for the others: only what exceeds its wait delays them all") {
  // A fast class works 1 s of 3, then waits; a slow one works all of it. Both meet at 3 s and then exchange for 0.5 s.
  workload::Timeline t;
  t.kinds = {{"work", 1, 0, 0, 0, 1, 0, 0, 0, true},
             {"wait", 0, 0, 0, 1, 0, 0, 0, 0, true},
             {"exchange", 0, 0, 1, 0, 0, 0, 0, 1, true}};
  t.classes = {{{ns_per_s, 0}, {2 * ns_per_s, 1}, {ns_per_s / 2, 2}}, {{3 * ns_per_s, 0}, {ns_per_s / 2, 2}}};
  t.period = 3 * ns_per_s + ns_per_s / 2;
  const std::vector<std::vector<double>> W = {{600, 100, 100}, {600, 100, 100}};
  const std::vector<double> waiting = {100, 100};
  const auto period_s = [&](double fast_begins_W) {
    std::vector<HoldState> state = {{{fast_begins_W, 0}, {}}, {{600, 0}, {}}};
    const auto h = hold_power(t, smoothing(0.0, 500, 1e6, 0.0), {700}, W, 1, waiting, state);
    for (const auto& c : h.timeline.classes) CHECK(total(c) == h.timeline.period);
    return seconds(h.timeline.period);
  };
  // Its ramp of a second does half a second's work: it ends 0.5 s late, within its wait of 2 s.
  CHECK(period_s(100) == Approx(3.5).epsilon(1e-6));
  // The same ramp in the class that nobody waits for less: all are late.
  std::swap(t.classes[0], t.classes[1]);
  CHECK(period_s(100) == Approx(4.0).epsilon(0.005));
}

TEST_CASE("a stop ramps down from where the work left the GPUs") {
  workload::Timeline t;
  t.kinds = {{"down", 0, 0, 0, 1, 0, 0, 0, 0, false}};
  t.classes = {{{10 * ns_per_s, 0}}};
  t.period = 10 * ns_per_s;
  HoldState state{{690, 0}, {}};
  const auto s = held(t, smoothing(0.5, 1e6, 100, 1.0), {70}, 0, state);
  CHECK(total(s.timeline.classes[0]) == t.period);
  CHECK(s.low_W[s.timeline.classes[0].front().kind] > 650);
  CHECK(state.smoothing.level_W == Approx(70));  // 340 W held until 3.4 s, then 270 W more at 100 W/s
  // Cut on the way down: 150 W below the start after 1.5 s.
  CHECK(remembered(s.marks[0], {{690, 0}, {}}, 3 * ns_per_s / 2).smoothing.level_W == Approx(540).margin(1.0));
}

TEST_CASE("repetitions join without a step, however slow the ramp") {
  const auto t = two_kinds();
  const std::vector<double> natural = {690, 150};
  const auto hold = smoothing(0.3, 40, 40, 10.0);  // 40 W/s: no ramp ends within a repetition
  HoldState state{{150, 0}, {}};
  double last_W = 150;
  for (int i = 0; i < 30; ++i) {
    const auto s = held(t, hold, natural, 1, state);
    const auto W = drawn_W(s, 0, t, natural);
    INFO(i);
    CHECK(std::abs(W.front() - last_W) <= 700.0 / 32.0 + 1e-9);  // one stair
    for (std::size_t k = 1; k < W.size(); ++k) CHECK(std::abs(W[k] - W[k - 1]) <= 700.0 / 32.0 + 1e-9);
    last_W = W.back();
  }
}

TEST_CASE("ballast and smoothing combine: the filled wait needs no ramp, a late class waits under ballast") {
  auto t = two_kinds();
  t.classes.push_back({{7 * ns_per_s / 2, 0}});
  const std::vector<double> natural = {690, 150};
  PowerHold hold = smoothing(0.0, 200, 200, 0.0);
  HoldState alone_state{{690, 0}, {}}, both_state{{690, 0}, {690, 0}};
  const auto alone = held(t, hold, natural, 1, alone_state);
  hold.ballast = mitigation::BallastParams{0.9, 1e-3, 1e-4, 0.0, 0.0, 0.0, 10.0, 100.0};
  const auto both = held(t, hold, natural, 1, both_state);
  CHECK(alone.timeline.period > both.timeline.period);  // ramps back up throttle the work
  const auto W = drawn_W(both, 0, t, natural);
  CHECK(*std::min_element(W.begin(), W.end()) >= 629.9);
  CHECK(total(both.timeline.classes[0]) == total(both.timeline.classes[1]));
}

TEST_CASE("two held iterations behind one another keep their watts, their marks and their mean") {
  HeldTimeline a;
  a.timeline.kinds.resize(2);
  a.timeline.classes = {{{2 * ns_per_s, 0}, {ns_per_s, 1}}};
  a.timeline.period = 3 * ns_per_s;
  a.low_W = {0.0, 300.0}, a.high_W = {1e9, 1e9}, a.from_kind = {0, 1};
  a.marks = {{{2 * ns_per_s, {}}, {3 * ns_per_s, {}}}};
  auto b = a;
  b.low_W[1] = 200.0;
  const std::vector<double> natural_W = {600.0, 90.0};
  const auto both = joined(a, b);
  CHECK(both.timeline.period == 6 * ns_per_s);
  CHECK(both.marks[0].back().end == 6 * ns_per_s);
  CHECK(held_mean_W(both, 0, natural_W) == Approx(0.5 * (held_mean_W(a, 0, natural_W) + held_mean_W(b, 0, natural_W))));
  CHECK(both.low_W[both.timeline.classes[0].back().kind] == 200.0);
}
