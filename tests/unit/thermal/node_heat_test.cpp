#include "thermal/node_heat.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const PackageParams package{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};
const HbmBranchParams hbm{12.0, 0.12, 0.3};
const ServerAirParams air{0.56, 0.56, 0.9, 0.40, 323.15, 358.15, 70};
const std::vector<double> one(8, 1.0);

struct Trace {
  double peak_K = 0, peak_s = 0, end_K = 0, rear_minus_front_K = 0, worst_closure = 0;
};
Trace step_to(double die_W, double hbm_W, const ServerAirParams& a, double duration_s) {
  const NodeHeat node(package, hbm, a, 8, 1190.0);
  auto s = node.cold(295.15);
  const std::vector<double> d(8, die_W), m(8, hbm_W);
  Trace t;
  double in = 0, out = 0, stored = 0;
  for (double at = 0; at < duration_s; at += 0.5) {
    const auto b = node.step(s, d, m, one, 295.15, 0.5);
    in += b.in_J, out += b.air_J, stored += b.stored_J;
    const double rear = s.store_K[7][die_store];
    if (rear > t.peak_K) t.peak_K = rear, t.peak_s = at;
  }
  t.end_K = s.store_K[7][die_store];
  t.rear_minus_front_K = s.store_K[7][die_store] - s.store_K[0][die_store];
  t.worst_closure = std::abs(in - out - stored) / in;
  return t;
}
}  // namespace

TEST_CASE("after a step the dies overshoot, because the fans lag, and then fall", "[thermal][node_heat]") {
  const auto t = step_to(602, 90, air, 900);
  CHECK(t.peak_s > 40);
  CHECK(t.peak_K - t.end_K > 1.0);
  auto quick = air;
  quick.fan_lag_s = 0.5;  // fans that follow at once leave nothing to fall
  CHECK(step_to(602, 90, quick, 900).peak_K - step_to(602, 90, quick, 900).end_K < 0.1);
}

TEST_CASE("the rear row is hotter by the air that it breathes", "[thermal][node_heat]") {
  const auto t = step_to(560, 90, air, 3000);
  CHECK(t.rear_minus_front_K > 8);
  CHECK(t.rear_minus_front_K < 14);
  auto apart = air;
  apart.preheat_mixing_ratio = 0.0;
  CHECK(step_to(560, 90, apart, 3000).rear_minus_front_K == Approx(0.0).margin(1e-9));
}

TEST_CASE("the node's heat closes", "[thermal][node_heat]") { CHECK(step_to(600, 90, air, 900).worst_closure < 1e-11); }

TEST_CASE("on cold plates the liquid takes its share, rows are alike and fans do not matter", "[thermal][node_heat]") {
  const LiquidCooling liquid{{0.0065, 0.025, 0.5, 3900, 40, 0.05}, {0.95, 0.0}};
  PackageParams plate = package;
  plate.sink_J_per_K = 300, plate.convection_exponent_ratio = 0.0;
  auto run = [&](const ServerAirParams& a) {
    const NodeHeat node(plate, hbm, a, 8, 1190.0, liquid);
    auto s = node.cold(303.15);
    const std::vector<double> d(8, 650.0), m(8, 0.0);
    NodeHeatBooks sum{};
    for (int i = 0; i < 4000; ++i) {
      const auto b = node.step(s, d, m, one, 303.15, 0.5);
      sum.in_J += b.in_J, sum.air_J += b.air_J, sum.liquid_J += b.liquid_J, sum.stored_J += b.stored_J;
    }
    CHECK(std::abs(sum.in_J - sum.air_J - sum.liquid_J - sum.stored_J) < 1e-11 * sum.in_J);
    const double share = to_liquid_frac(liquid.plate, 0.025) * 0.95;
    CHECK(sum.liquid_J == Approx(share * (sum.air_J + sum.liquid_J)));
    CHECK(s.store_K[7][die_store] == s.store_K[0][die_store]);
    return s.store_K[0][die_store];
  };
  const double die_K = run(air);
  auto slow = air;
  slow.fan_min_frac = 0.2;
  CHECK(run(slow) == Approx(die_K));
  // Steady: all heat through base, sink and plate; a part of the first step through the memory's branch.
  const double beyond_K = 650.0 * (plate.base_sink_K_per_W + cold_plate_K_per_W(liquid.plate, 0.025));
  CHECK(die_K - 303.15 - beyond_K < 650.0 * plate.die_base_K_per_W);
  CHECK(die_K - 303.15 - beyond_K > 0.95 * 650.0 * plate.die_base_K_per_W);
}
