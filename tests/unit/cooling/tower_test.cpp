#include "tidewatt/cooling/tower.hpp"

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace hydronic_day;

namespace {

/// `KaV/L = ∫ c dT / (h_s(T) - h_a(T))` over the water's range by the four-point Chebyshev rule (0.1, 0.4, 0.6, 0.9); the air's
/// enthalpy rises along the operating line `h_a = h_1 + (L/G) c (T - T_out)`. At 101,325 Pa.
double merkel_number(double water_in_K, double water_out_K, double wetbulb_K, double water_air_ratio) {
  const auto saturated = [](double T_K) { return enthalpy_J_per_kg(T_K, saturated_humidity_ratio(T_K, 101325.0)); };
  const double range_K = water_in_K - water_out_K;
  double sum = 0.0;
  for (const double x : {0.1, 0.4, 0.6, 0.9}) {
    const double air = saturated(wetbulb_K) + water_air_ratio * liquid_cp_J_per_kg_K * x * range_K;
    const double drive = saturated(water_out_K + x * range_K) - air;
    REQUIRE(drive > 0.0);
    sum += 1.0 / drive;
  }
  return liquid_cp_J_per_kg_K * range_K * sum / 4.0;
}

}  // namespace

TEST_CASE("tower: design point, wet bulb as the limit, energy, Merkel's integral") {
  const TowerParams p = plant("crah_chilled_water").tower;
  const Tower tower(p);
  const auto design = tower.at(p.water_kg_per_s, p.water_in_K, p.wetbulb_K, 0.01, 101325.0, 1.0);
  CHECK(design.leaving_K == Approx(p.water_out_K).margin(0.01));
  CHECK(tower.at(p.water_kg_per_s, p.wetbulb_K, p.wetbulb_K, 0.01, 101325.0, 1.0).heat_W == Approx(0.0).margin(1.0));
  CHECK(tower.at(0.0, p.water_in_K, p.wetbulb_K, 0.01, 101325.0, 1.0).heat_W == 0.0);
  double last = 0.0;
  for (const double speed : {0.0, 0.05, 0.12, 0.2, 0.5, 1.0}) {
    const auto at = tower.at(p.water_kg_per_s, p.water_in_K, p.wetbulb_K, 0.01, 101325.0, speed);
    CHECK(at.heat_W >= last);
    CHECK(at.leaving_K > p.wetbulb_K);
    last = at.heat_W;
  }
  CHECK(tower.at(p.water_kg_per_s, p.water_in_K, p.wetbulb_K, 0.01, 101325.0, 1.0, 0.5).heat_W < 0.8 * design.heat_W);
  // Evaporation carries most of the heat: 0.75 to 1.05 of Q over the latent heat at design.
  const double humid = humidity_ratio_from_wet_bulb(K(33), p.wetbulb_K, 101325.0);
  const double kg = tower.at(p.water_kg_per_s, p.water_in_K, p.wetbulb_K, humid, 101325.0, 1.0).evaporated_kg_per_s;
  CHECK(kg * 2.43e6 / design.heat_W > 0.75);
  CHECK(kg * 2.43e6 / design.heat_W < 1.15);
  // The same Merkel number (air at the same flow) at another wet bulb gives the same leaving water within 0.4 K.
  const double number = merkel_number(p.water_in_K, p.water_out_K, p.wetbulb_K, p.water_air_ratio);
  CHECK(number > 0.7);
  CHECK(number < 2.5);
  TowerParams plain = p;
  plain.ua_wetbulb_ratio = {1.0, 0.0, 0.0};
  const auto cool = Tower(plain).at(p.water_kg_per_s, K(28), K(15), 0.008, 101325.0, 1.0);
  CHECK(merkel_number(K(28), cool.leaving_K, K(15), p.water_air_ratio) == Approx(number).epsilon(0.12));
  CHECK(tower.fan_W(0.5) < 0.3 * tower.fan_W(1.0));
  TowerParams bad = p;
  bad.water_out_K = bad.wetbulb_K - 1.0;
  CHECK_THROWS_AS(Tower(bad), InputError);
}

TEST_CASE(
    "below its floor a fan fades out over the lower half: power and air are those between standing and the floor") {
  TowerParams p = plant("crah_chilled_water").tower;
  const double floor = p.fan_floor_frac;
  const Tower tower(p);
  CHECK(tower.fan_W(0.5 * floor) == 0.0);
  CHECK(tower.fan_W(0.75 * floor) == Approx(0.5 * tower.fan_W(floor)));
  CHECK(tower.fan_W(0.6 * floor) == Approx(0.2 * tower.fan_W(floor)));
  // The same air through a tower whose fan may run that slowly.
  const auto heat_W = [&](const Tower& t, double speed) {
    return t.at(p.water_kg_per_s, p.water_in_K, p.wetbulb_K, 0.01, 101325.0, speed).heat_W;
  };
  REQUIRE(p.free_convection_frac < floor);
  TowerParams slow = p;
  slow.fan_floor_frac = 0.05;
  slow.free_convection_frac = 0.01;
  for (const double x : {0.2, 0.5, 0.8}) {
    const double air = p.free_convection_frac + x * (floor - p.free_convection_frac);
    CHECK(heat_W(tower, floor * (0.5 + 0.5 * x)) == Approx(heat_W(Tower(slow), air)).epsilon(1e-9));
  }
  CHECK(heat_W(tower, 0.5 * floor) == Approx(heat_W(tower, 0.0)).epsilon(1e-12));
}
