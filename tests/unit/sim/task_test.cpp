#include "tidewatt/sim/task.hpp"

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

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

TEST_CASE("smoothing holds its floor in the waiting kind and its classes stay together") {
  const auto t = two_kinds();
  const std::vector<double> natural = {690, 150};
  mitigation::SmoothingState state;
  const auto s = smooth_timeline(t, {0.6, 1e6, 1e6, 2.0}, 700, natural, 1, 150, true, state);
  CHECK(total(s.timeline.classes[0]) == s.timeline.period);
  double lowest = 1e9;
  for (const auto& seg : s.timeline.classes[0])
    lowest = std::min(lowest, std::clamp(natural[s.timeline.kinds[seg.kind].name == "work" ? 0 : 1], s.low_W[seg.kind], s.high_W[seg.kind]));
  CHECK(lowest == Approx(420).epsilon(0.02));
}

TEST_CASE("a stop ramps down from where the work left the GPUs") {
  workload::Timeline t;
  t.kinds = {{"down", 0, 0, 0, 1, 0, 0, 0, 0, false}};
  t.classes = {{{10 * ns_per_s, 0}}};
  t.period = 10 * ns_per_s;
  const std::vector<double> natural = {70};
  mitigation::SmoothingState state{690, 0};
  const auto s = smooth_timeline(t, {0.5, 1e6, 100, 1.0}, 700, natural, 0, 70, false, state);
  CHECK(total(s.timeline.classes[0]) == t.period);
  CHECK(s.low_W[s.timeline.classes[0].front().kind] > 650);
  CHECK(state.level_W == Approx(70));  // 340 W held until 3.4 s, then 270 W more at 100 W/s
}
