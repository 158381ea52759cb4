#include "tidewatt/thermal/server_air.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {
const thermal::ServerAirParams air{0.56, 0.56, 0.9, 0.4, 323.15, 358.15, 70};
}

TEST_CASE("fans stay at their floor when cool, reach full speed when hot and rise in between") {
  CHECK(thermal::fan_target_frac(air, 300) == 0.4);
  CHECK(thermal::fan_target_frac(air, 360) == 1.0);
  CHECK(thermal::fan_target_frac(air, 340.65) == Approx(0.7));
}

TEST_CASE("the rear row breathes what the front row heats: energy balance of its air") {
  const double per_m3 = 1190, front_W = 2600, fan = 0.75;
  const double flow = 0.56 * 0.56 * fan;
  CHECK(thermal::rear_preheat_K(air, front_W, fan, per_m3) * flow * per_m3 == Approx(0.9 * front_W));
  CHECK(thermal::rear_preheat_K(air, front_W, 1.0, per_m3) < thermal::rear_preheat_K(air, front_W, 0.5, per_m3));
}

TEST_CASE("measured: the second row of GPUs in the airflow runs 8-14 K hotter at equal power") {
  // At 690 W per GPU and three quarters of full speed; preheat raises leakage and with it the row's own rise a little.
  const double preheat = thermal::rear_preheat_K(air, 4 * 690, 0.75, 1190);
  CHECK(preheat > 7.5);
  CHECK(preheat < 14);
}
