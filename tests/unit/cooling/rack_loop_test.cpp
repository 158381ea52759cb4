#include "tidewatt/cooling/rack_loop.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {

RackLoopParams loop(double litres_per_min, double glycol_frac) {
  RackLoopParams p;
  p.flow_m3_per_s = litres_per_min * 1e-3 / 60.0, p.glycol_frac = glycol_frac;
  p.rise_max_K = 20.0, p.return_max_K = 338.15, p.supply_max_K = 318.15;
  return p;
}

}  // namespace

TEST_CASE("115 kW through a rack rise by what water and a quarter glycol carry") {
  // 130 l/min: 12.8 K in water and 13.4 K in PG25; 80 l/min: 20.8 and 21.7 K. The published sums use one round density
  // and heat capacity each, so within 2 %.
  CHECK(rack_rise_K(loop(130, 0.0), 115e3, 303.15) == Approx(12.8).epsilon(0.02));
  CHECK(rack_rise_K(loop(130, 0.25), 115e3, 303.15) == Approx(13.4).epsilon(0.02));
  CHECK(rack_rise_K(loop(80, 0.0), 115e3, 303.15) == Approx(20.8).epsilon(0.02));
  CHECK(rack_rise_K(loop(80, 0.25), 115e3, 303.15) == Approx(21.7).epsilon(0.02));
}

TEST_CASE("the rise goes with heat and against flow, and no heat gives none") {
  const double rise_K = rack_rise_K(loop(100, 0.25), 60e3, 303.15);
  CHECK(rack_rise_K(loop(200, 0.25), 120e3, 303.15) == Approx(rise_K).epsilon(1e-9));
  CHECK(rack_rise_K(loop(100, 0.25), 0.0, 303.15) == 0.0);
  CHECK_THROWS_AS(rack_rise_K(loop(0, 0.25), 1e3, 303.15), InputError);
}

TEST_CASE("the needed flow gives the highest allowed rise, and the return limits it in warm water") {
  RackLoopParams p = loop(130, 0.25);
  for (const double supply_K : {298.15, 318.15}) {
    p.flow_m3_per_s = rack_flow_needed_m3_per_s(p, 132e3, supply_K);
    CHECK(rack_rise_K(p, 132e3, supply_K) == Approx(20.0).epsilon(1e-6));
  }
  p.flow_m3_per_s = rack_flow_needed_m3_per_s(p, 132e3, 328.15);  // 55 degC leave 10 K to the return limit
  CHECK(rack_rise_K(p, 132e3, 328.15) == Approx(10.0).epsilon(1e-6));
  CHECK_THROWS_AS(rack_flow_needed_m3_per_s(p, 132e3, 339.0), InputError);
}
