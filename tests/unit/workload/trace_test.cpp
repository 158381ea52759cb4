#include "tidewatt/workload/trace.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

constexpr Tick s = ns_per_s;

Trace pulse() {
  Trace t;
  t.names = {"a", "b"};
  t.edges = {0, 10 * s, 10 * s + 1, 12 * s, 100 * s};
  t.value = {{100, 1e6, 300, 50}, {1, 2, 3, 4}};
  return t;
}

}  // namespace

TEST_CASE("neither a pulse of one nanosecond nor its energy is lost", "[workload][trace]") {
  const Trace t = pulse();
  const double whole_J = 1000.0 + 1e6 * 1e-9 + 300.0 * (2.0 - 1e-9) + 50.0 * 88.0;
  const auto all = t.over(0, 0, t.length());
  CHECK(all.integral == Approx(whole_J).epsilon(1e-14));
  CHECK(all.max == 1e6);
  CHECK(all.min == 50);
  for (const Tick width : {Tick{1'234'567}, 7 * s, 100 * s, 1000 * s}) {
    CompensatedSum sum_J;
    double peak_W = 0.0;
    for (Tick begin = 0; begin < t.length(); begin += width) {
      const auto w = t.over(0, begin, std::min(t.length(), begin + width));
      sum_J.add(w.integral);
      peak_W = std::max(peak_W, w.max);
    }
    CHECK(sum_J.value() == Approx(whole_J).epsilon(1e-12));
    CHECK(peak_W == 1e6);
  }
  CHECK(t.over(0, 11 * s, 13 * s).integral == Approx(350.0));
  CHECK(t.over(0, 11 * s, 13 * s).mean == Approx(175.0));
  CHECK(t.total().over(0, 0, t.length()).integral ==
        Approx(whole_J + t.over(1, 0, t.length()).integral).epsilon(1e-14));
}

TEST_CASE("a trace is not asked beyond its ends", "[workload][trace]") {
  const Trace t = pulse();
  CHECK(t.segment_at(0) == 0);
  CHECK(t.segment_at(10 * s) == 1);
  CHECK(t.segment_at(100 * s - 1) == 3);
  CHECK_THROWS_AS(t.segment_at(100 * s), InputError);
  CHECK_THROWS_AS(t.over(0, 5, 5), InputError);
  CHECK_THROWS_AS(t.over(0, 0, 100 * s + 1), InputError);
}
