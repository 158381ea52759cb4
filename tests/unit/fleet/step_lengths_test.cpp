#include "fleet/step_lengths.hpp"

#include <numeric>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

workload::Timeline timeline_of(std::vector<workload::Segment> segments) {
  workload::PhaseKind work, wait;
  work.matrix_s = 0.1, wait.wait_s = 0.1;
  workload::Timeline t{{work, wait}, {std::move(segments)}, 0};
  for (const auto& s : t.classes[0]) t.period += s.duration;
  return t;
}
constexpr Tick ms = ns_per_ms;

std::vector<Tick> durations_ms(const workload::Timeline& t) {
  std::vector<Tick> out;
  for (const auto& s : t.classes[0]) out.push_back(s.duration / ms);
  return out;
}

}  // namespace

TEST_CASE("work after a long wait is split where clocks fall, and keeps its length", "[fleet][steps]") {
  auto t = timeline_of({{300 * ms, 0}, {50 * ms, 1}, {30 * ms, 0}, {200 * ms, 0}});
  const Tick period = t.period;
  split_after_waits(t);
  CHECK(durations_ms(t) == std::vector<Tick>{300, 50, 20, 10, 10, 20, 20, 80, 70});
  Tick sum = 0;
  for (const auto& s : t.classes[0]) sum += s.duration;
  CHECK(sum == period);
}

TEST_CASE("a wait that reaches over the end of a repetition is long too", "[fleet][steps]") {
  auto t = timeline_of({{20 * ms, 1}, {300 * ms, 0}, {15 * ms, 1}});
  split_after_waits(t);
  CHECK(durations_ms(t) == std::vector<Tick>{20, 20, 20, 20, 20, 80, 140, 15});
}

TEST_CASE("parts of a long segment are equal, shorter ones stay whole", "[fleet][steps]") {
  auto t = timeline_of({{80 * ms, 0}, {300 * ms, 1}, {81 * ms, 0}});
  split_evenly(t, 80 * ms);
  CHECK(durations_ms(t) == std::vector<Tick>{80, 75, 75, 75, 75, 40, 40});
  Tick sum = 0;
  for (const auto& s : t.classes[0]) sum += s.duration;
  CHECK(sum == t.period);
}

TEST_CASE("short waits, and work without one, stay as they are", "[fleet][steps]") {
  for (const auto& segments : {std::vector<workload::Segment>{{300 * ms, 0}, {10 * ms, 1}, {300 * ms, 0}, {15 * ms, 1}},
                               std::vector<workload::Segment>{{300 * ms, 0}}}) {
    auto t = timeline_of(segments);
    split_after_waits(t);
    CHECK(t.classes[0].size() == segments.size());
  }
}
