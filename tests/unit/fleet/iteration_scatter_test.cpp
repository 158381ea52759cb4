#include "fleet/iteration_scatter.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

constexpr Tick period = 6 * ns_per_s;

IterationScatter jittery() {
  workload::JitterParams p;
  p.sigma_frac = 0.01;
  IterationScatter s(workload::Jitter(p, 7, 0, 64), std::nullopt);
  s.set_work(4, period);
  return s;
}

}  // namespace

TEST_CASE("iterations that scatter add up to their mean, to the nanosecond") {
  auto s = jittery();
  CHECK(s.any());
  for (const std::int64_t count : {1, 7, 1000}) {
    const auto mean = s.mean(12, count, 0);
    const auto each = s.each();
    REQUIRE(static_cast<std::int64_t>(each.size()) == count);
    Tick sum = 0;
    for (const auto& one : each) sum += one.excess;
    CHECK(sum == mean.excess * count);
  }
}

TEST_CASE("a redone iteration scatters as it did, and no group is later than its iteration lasts longer") {
  auto s = jittery();
  const auto first = s.one(42, 0), again = s.one(42, 1000 * ns_per_s), other = s.one(43, 0);
  CHECK(first.excess == again.excess);
  CHECK(first.excess != other.excess);
  CHECK(first.late.size() == 4);
  CHECK(std::is_sorted(first.late.begin(), first.late.end()));
  CHECK(first.late.back() <= first.excess);
}

TEST_CASE("a beat makes every iteration end on it, and one that lasts longer misses it") {
  const mitigation::BeatParams beat{7.0, 0.5};
  IterationScatter s(std::nullopt, beat);
  s.set_work(1, period);
  CHECK(s.keeps_beat());
  CHECK_FALSE(s.misses_beat());
  Tick begin = to_tick(0.5);
  for (int i = 0; i < 3; ++i) {
    begin += period + s.one(i, begin).excess;
    CHECK((begin - to_tick(0.5)) % to_tick(7.0) == 0);
  }
  s.set_work(1, 8 * ns_per_s);
  CHECK(s.misses_beat());
}

TEST_CASE("without jitter and beat nothing scatters") {
  IterationScatter s(std::nullopt, std::nullopt);
  s.set_work(2, period);
  CHECK_FALSE(s.any());
  CHECK(s.one(0, 0).excess == 0);
}
