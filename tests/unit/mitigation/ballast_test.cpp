#include "tidewatt/mitigation/ballast.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

namespace {
const BallastParams params{0.9, 1e-3, 1e-4, 2e-3, 0.5, 0.01, 5.0, 100.0};
const std::vector<Tick> duration = {1500 * ns_per_ms, 500 * ns_per_ms};
const std::vector<double> natural_W = {630.0, 150.0};
}  // namespace

TEST_CASE("the gap is filled to the level but for detection and launch, and the work pays for the last kernel") {
  const auto out = ballast(params, 700.0, duration, natural_W);
  // work: 1 ms beside the kernel does half, then the rest at 0.99
  const double beside_s = 1e-3, rest_s = (1.5 - beside_s * 0.5 * 0.99) / 0.99;
  CHECK(out.total_s == Approx(beside_s + rest_s + 0.5).epsilon(1e-8));
  CHECK(out.lost_throughput_frac() == Approx(1.0 - 2.0 / out.total_s).epsilon(1e-9));
  CHECK(out.burned_J == Approx((630 - 150) * (0.5 - 0.6e-3) + 0.5 * 630 * 1e-3).epsilon(1e-6));
  double low_s = 0.0;
  for (const auto& p : out.pieces)
    if (p.power_W < 629) low_s += seconds(p.duration);
  CHECK(low_s == Approx(0.6e-3).epsilon(1e-6));
}

TEST_CASE("without level nothing is burned and only the monitor costs; gaps shorter than its reaction stay") {
  auto p = params;
  p.level_ratio = 0.0;
  p.monitor_cost_frac = 0.0;
  const auto none = ballast(p, 700.0, duration, natural_W);
  CHECK(none.burned_J == 0.0);
  CHECK(none.lost_throughput_frac() == Approx(0.0).margin(1e-12));
  const auto fast = ballast(params, 700.0, std::vector<Tick>{ns_per_ms, ns_per_ms / 2}, natural_W);
  CHECK(fast.burned_J == 0.0);
  CHECK_THROWS_AS(ballast(params, 700.0, duration, std::vector<double>{1.0}), InputError);
}

TEST_CASE("range of windowed means of a square wave in closed form") {
  CHECK(windowed_range_W(duration, natural_W, 0.1) == Approx(480.0));
  CHECK(windowed_range_W(duration, natural_W, 0.5) == Approx(480.0));
  CHECK(windowed_range_W(duration, natural_W, 1.0) == Approx(240.0));  // half a window of the gap
  CHECK(windowed_range_W(duration, natural_W, 2.0) == Approx(0.0).margin(1e-9));
}

TEST_CASE("in a run ballast agrees with the repeating timeline, once it has seen work") {
  BallastState state;
  ballast_from(state, params, 700.0, duration, natural_W);  // the first repetition
  double J = 0.0, s = 0.0;
  for (const auto& x : ballast_from(state, params, 700.0, duration, natural_W)) {
    J += std::max(0.0, x.low_W - natural_W[x.segment]) * seconds(x.duration);
    s += seconds(x.duration);
  }
  const auto out = ballast(params, 700.0, duration, natural_W);
  CHECK(s == Approx(out.total_s).epsilon(1e-8));
  CHECK(J == Approx(480.0 * (0.5 - 0.6e-3)).epsilon(1e-6));
}

TEST_CASE(
    "work that stays away: held, then down at the ramp to what the GPU draws; a GPU that never worked is left alone") {
  BallastState state;
  const std::vector<Tick> long_wait = {20 * ns_per_s};
  const std::vector<double> wait_W = {150.0};
  for (const auto& x : ballast_from(state, params, 700.0, long_wait, wait_W)) CHECK(x.low_W == 0.0);
  ballast_from(state, params, 700.0, duration, natural_W);
  BallastState again = state;
  double J = 0.0;
  for (const auto& x : ballast_from(again, params, 700.0, long_wait, wait_W))
    J += std::max(0.0, x.low_W - 150.0) * seconds(x.duration);
  // 0.5 s of the hold have passed; 4.5 s at 480 W and a triangle of 4.8 s
  CHECK(J == Approx(480.0 * 4.5 + 0.5 * 480.0 * 4.8).epsilon(1e-6));
  CHECK(again.level_W == Approx(150.0));
  // Cut anywhere, it goes on as if uncut.
  BallastState cut = state;
  double parts_J = 0.0;
  for (const Tick d : {3 * ns_per_s, 4 * ns_per_s, 13 * ns_per_s})
    for (const auto& x : ballast_from(cut, params, 700.0, std::vector<Tick>{d}, wait_W))
      parts_J += std::max(0.0, x.low_W - 150.0) * seconds(x.duration);
  CHECK(parts_J == Approx(J).epsilon(1e-9));
}

TEST_CASE("a wait that draws more than the ballast would takes exactly its time; work is slowed down by the monitor") {
  BallastState state;
  const std::vector<Tick> two = {ns_per_s, ns_per_s};
  const std::vector<double> W = {650.0, 640.0};
  const std::vector<std::uint8_t> works = {1, 0};
  const auto out = ballast_from(state, params, 700.0, two, W, works);
  REQUIRE(out.size() == 2);
  CHECK(seconds(out[0].duration) == Approx(1.0 / (1.0 - params.monitor_cost_frac)));
  CHECK(out[1].duration == ns_per_s);
  CHECK(out[1].low_W == 0.0);
}
