#include "workload/schedule.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

Tick makespan(const PipelineSchedule& s, Tick forward, Tick backward, Tick transfer = 0) {
  std::vector<Tick> end;
  s.run([&](const PipelineOp& op) { return op.backward ? backward : forward; }, transfer, end,
        [](const PipelineOp&, Tick idle_since, Tick start, Tick) { REQUIRE(start >= idle_since); });
  return *std::max_element(end.begin(), end.end());
}

}  // namespace

TEST_CASE("uniform stages: the bubble is (p-1)/(v m) of the work", "[workload][schedule]") {
  const Tick f = 1'000'003, b = 2 * f;
  for (const auto& [p, v, m] :
       {std::array{16, 8, 16}, {16, 8, 32}, {16, 1, 32}, {8, 6, 48}, {4, 2, 4}, {1, 1, 5}, {2, 3, 2}}) {
    INFO(p << " stages " << v << " chunks " << m << " micro-batches");
    const Tick work = static_cast<Tick>(v) * m * (f + b);
    CHECK(makespan(PipelineSchedule(p, v, m), f, b) == work + (p - 1) * (f + b));
  }
}

TEST_CASE("every micro-batch passes every virtual stage once each way, in order", "[workload][schedule]") {
  const PipelineSchedule s(4, 3, 8);
  REQUIRE(s.ops().size() == 4u * 3u * 8u * 2u);
  std::vector<int> seen(4 * 3 * 8 * 2, 0);
  std::vector<Tick> start, end;
  s.run([](const PipelineOp& op) { return op.backward ? 20 : 10; }, 3, end,
        [&](const PipelineOp&, Tick, Tick begin, Tick) { start.push_back(begin); });
  for (std::size_t i = 0; i < s.ops().size(); ++i) {
    const auto& op = s.ops()[i];
    ++seen[(op.virtual_stage * 8 + op.micro_batch) * 2 + (op.backward ? 1u : 0u)];
    if (op.waits_for >= 0) CHECK(start[i] >= end[static_cast<std::size_t>(op.waits_for)] + (op.crosses ? 3 : 0));
    CHECK((op.waits_for < 0) == (op.virtual_stage == 0 && !op.backward));
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST_CASE("forward only: the pipeline fills once", "[workload][schedule]") {
  CHECK(makespan(PipelineSchedule(16, 1, 20, true), 10, 0) == (20 + 15) * 10);
  CHECK(makespan(PipelineSchedule(4, 2, 8, true), 10, 0) == (16 + 3) * 10);
}

TEST_CASE("slower transfers never shorten the pipeline, and interleaving hides small ones", "[workload][schedule]") {
  const PipelineSchedule s(8, 4, 32), plain(8, 1, 32);
  Tick before = 0;
  for (Tick x = 0; x < 3000; x += 100) {
    const Tick now = makespan(s, 1000, 2000, x);
    CHECK(now >= before);
    before = now;
  }
  const Tick exposed = makespan(s, 1000, 2000, 100) - makespan(s, 1000, 2000, 0);
  const Tick exposed_plain = makespan(plain, 4000, 8000, 100) - makespan(plain, 4000, 8000, 0);
  CHECK(exposed < exposed_plain * 4);
}

TEST_CASE("impossible pipelines are refused", "[workload][schedule]") {
  CHECK_THROWS_AS(PipelineSchedule(4, 2, 6), InputError);
  CHECK_THROWS_AS(PipelineSchedule(0, 1, 6), InputError);
  CHECK_THROWS_AS(PipelineSchedule(100000, 100, 100000), RefusedError);
}
