#include "study/steady_run.hpp"

#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

/// A job that begins at 200 s and then rises evenly to its pace within `ramp_s`; power follows the pace.
std::vector<RunMark> ramped(double ramp_s, double pace, double idle_W, double full_W) {
  std::vector<RunMark> out;
  for (double t = 10.0; t <= 1000.0; t += 10.0) {
    const double on = std::max(0.0, t - 200.0), up = std::min(on, ramp_s);
    const double worked_s = (ramp_s > 0.0 ? 0.5 * up * up / ramp_s : 0.0) + (on - up);  // of full work
    out.push_back({to_tick(t), pace * worked_s, idle_W * t + (full_W - idle_W) * worked_s, 1e-6 * worked_s});
  }
  return out;
}

}  // namespace

TEST_CASE("what a ramp costs is in the start, not in the steady part, however long the run") {
  const auto bare = ramped(0.0, 50.0, 1e6, 5e6), slow = ramped(60.0, 50.0, 1e6, 5e6);
  const auto a = steady_run(bare, to_tick(300.0)), b = steady_run(slow, to_tick(300.0));
  CHECK(b.tokens_per_s == Approx(a.tokens_per_s).epsilon(1e-12));
  CHECK(b.mean_W == Approx(5e6).epsilon(1e-12));
  CHECK(b.life_frac_per_s == Approx(1e-6).epsilon(1e-12));
  CHECK(b.change_frac == Approx(0.0).margin(1e-12));
  const auto cost = start_cost(b, a);
  CHECK(cost.lost_s == Approx(30.0).epsilon(1e-12));                  // half of the ramp's minute
  CHECK(cost.extra_J == Approx(-30.0 * 4e6).epsilon(1e-9));           // and what it did not draw meanwhile
  const auto late = start_cost(steady_run(slow, to_tick(500.0)), a);  // cut elsewhere
  CHECK(late.lost_s == Approx(30.0).epsilon(1e-12));
  CHECK(late.extra_J == Approx(-30.0 * 4e6).epsilon(1e-9));
}

TEST_CASE("a slower pace alone costs nothing at the start, a start alone nothing in the steady part") {
  const auto bare = steady_run(ramped(0.0, 50.0, 1e6, 5e6), to_tick(300.0));
  const auto slower = steady_run(ramped(0.0, 40.0, 1e6, 7e6), to_tick(300.0));
  CHECK(slower.tokens_per_s == Approx(0.8 * bare.tokens_per_s));
  CHECK(start_cost(slower, bare).lost_s == Approx(0.0).margin(1e-9));
  CHECK(start_cost(slower, bare).extra_J == Approx(0.0).margin(1.0));
  CHECK(start_cost(bare, bare).lost_s == 0.0);
}

TEST_CASE("the steady part is the second half of what counts; one that still rises says so") {
  const auto s = steady_run(ramped(60.0, 50.0, 1e6, 5e6), 0);
  CHECK(s.start_s == Approx(500.0));
  CHECK(s.steady_s == Approx(500.0));
  CHECK(s.start_tokens == Approx(50.0 * 270.0));
  CHECK(steady_run(ramped(60.0, 50.0, 1e6, 5e6), to_tick(300.0)).start_s == Approx(650.0));
  CHECK(steady_run(ramped(800.0, 50.0, 1e6, 5e6), 0).change_frac > 0.3);
  CHECK_THROWS_AS(steady_run(ramped(60.0, 50.0, 1e6, 5e6), to_tick(1000.0)), InputError);
  CHECK_THROWS_AS(steady_run({}, 0), InputError);
}
