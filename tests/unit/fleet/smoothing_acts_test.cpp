#include "fleet/smoothing_acts.hpp"

#include <array>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

constexpr double tdp_W = 1000.0;
constexpr Tick s = ns_per_s;

workload::Timeline high_then_low(Tick high, Tick low) {
  workload::Timeline t;
  t.kinds.resize(2);
  t.kinds[0].name = "work", t.kinds[0].matrix_s = 1.0;
  t.kinds[1].name = "bubble", t.kinds[1].wait_s = 1.0;
  t.classes = {{{high, 0}, {low, 1}}};
  t.period = high + low;
  return t;
}

/// Work at 900 W for 10 s, then waiting at 200 W for a time, from power at the level of the work.
SmoothingActs acts(const mitigation::GpuSmoothingParams& p, Tick low, double from_W = 900.0) {
  const std::vector<HoldState> begin = {{{from_W, 0}, {}}};
  auto state = begin;
  const std::vector<std::vector<double>> natural = {{900.0, 200.0}};
  const auto held = hold_power(high_then_low(10 * s, low), {p, {}}, {tdp_W}, natural, 1, std::array{200.0}, state);
  return smoothing_acts(held, p, tdp_W, begin, std::array{4.0});
}

}  // namespace

TEST_CASE("the floor holds for the hysteresis, less the time of the fall to it", "[smoothing]") {
  // 900 to 600 W at 100 W/s: 3 s. Then at the floor until 8 s after the work, then 4 s down to 200 W.
  const auto a = acts({0.6, 1e6, 100.0, 8.0}, 30 * s);
  CHECK(a.floor_s == Approx(5.0).margin(1e-6));
  CHECK(a.ramp_down_s == Approx(7.0).margin(1e-6));
  CHECK(a.hysteresis_s == Approx(8.0).margin(1e-6));
  CHECK(a.ramp_up_s == 0.0);
}

TEST_CASE("a floor that the ramp never reaches does nothing, whatever it is", "[smoothing]") {
  for (const double floor : {0.3, 0.5, 0.6}) {
    const auto a = acts({floor, 1e6, 10.0, 8.0}, 20 * s);  // 900 W falls to 700 W in 20 s
    INFO(floor);
    CHECK(a.floor_s == 0.0);
    CHECK(a.ramp_down_s == Approx(20.0).margin(1e-6));
    CHECK(a.hysteresis_s == Approx(8.0).margin(1e-6));
  }
}

TEST_CASE("without hysteresis the floor does not act; without work below it there is nothing to keep", "[smoothing]") {
  const auto none = acts({0.6, 1e6, 100.0, 0.0}, 30 * s);
  CHECK(none.floor_s == 0.0);
  CHECK(none.hysteresis_s == 0.0);
  CHECK(none.ramp_down_s == Approx(7.0).margin(1e-6));
  const auto low = acts({0.1, 1e6, 100.0, 8.0}, 30 * s);  // 200 W is above the floor
  CHECK(low.floor_s == 0.0);
  CHECK(low.hysteresis_s == 0.0);
}

TEST_CASE("a slow rise counts as long as it holds the work down", "[smoothing]") {
  const auto a = acts({0.0, 100.0, 1e6, 0.0}, 1 * s, 200.0);
  CHECK(a.ramp_up_s == Approx(7.0).margin(1e-6));  // 200 to 900 W
  CHECK(a.floor_s == 0.0);
}

TEST_CASE("classes count by their nodes", "[smoothing]") {
  const mitigation::GpuSmoothingParams p{0.6, 1e6, 100.0, 8.0};
  auto timeline = high_then_low(10 * s, 30 * s);
  timeline.classes.push_back({{40 * s, 0}});
  const std::vector<HoldState> begin(2, {{900.0, 0}, {}});
  auto state = begin;
  const std::vector<std::vector<double>> natural(2, {900.0, 200.0});
  const auto held = hold_power(timeline, {p, {}}, {tdp_W}, natural, 1, std::array{200.0, 200.0}, state);
  CHECK(smoothing_acts(held, p, tdp_W, begin, std::array{1.0, 3.0}).floor_s == Approx(0.25 * 5.0).margin(1e-6));
}
