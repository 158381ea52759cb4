#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/heat_exchanger.hpp"
#include "tidewatt/cooling/liquid.hpp"

using namespace hydronic_day;

// Values of CoolProp 6 (IAPWS-95 at 101,325 Pa; Melinder's propylene glycol), generated once.
TEST_CASE("water and glycol match CoolProp") {
  struct Water {
    double t_degC, density, cp, viscosity;
  };
  for (const Water& w : {Water{5, 999.96663, 4205.0377, 0.00151817}, Water{15, 999.10262, 4188.4606, 0.00113757}, Water{25, 997.04764, 4181.3150, 0.000890022}, Water{40, 992.21635, 4179.4148, 0.000652729}, Water{60, 983.19582, 4184.9533, 0.000466035}, Water{80, 971.79040, 4196.7533, 0.000354051}}) {
    CHECK(water_density_kg_per_m3(K(w.t_degC)) == Approx(w.density).epsilon(2e-5));
    CHECK(water_cp_J_per_kg_K(K(w.t_degC)) == Approx(w.cp).epsilon(2e-4));
    CHECK(water_viscosity_Pa_s(K(w.t_degC)) == Approx(w.viscosity).epsilon(0.01));
  }
  struct Glycol {
    double frac, t_degC, density, cp;
  };
  for (const Glycol& g : {Glycol{0.1, 10, 1008.2690, 4066.567}, Glycol{0.2, 20, 1014.7766, 3976.769},
                          Glycol{0.25, 20, 1019.2776, 3920.468}, Glycol{0.3, 40, 1013.4323, 3910.419},
                          Glycol{0.4, 10, 1037.6159, 3674.274}, Glycol{0.5, 40, 1025.3719, 3606.971}}) {
    CHECK(coolant_density_kg_per_m3(K(g.t_degC), g.frac) == Approx(g.density).epsilon(1e-3));
    CHECK(coolant_cp_J_per_kg_K(K(g.t_degC), g.frac) == Approx(g.cp).epsilon(5e-3));
  }
  CHECK(coolant_freezing_K(0.3) == Approx(K(-12.789)).margin(0.3));
  CHECK(coolant_freezing_K(0.5) == Approx(K(-32.193)).margin(0.3));
}

// Values of psychrolib 2.5 (SI), generated once.
TEST_CASE("moist air matches psychrolib") {
  struct Air {
    double t_degC, rh, p_Pa, humidity, wetbulb_degC, dewpoint_degC, enthalpy;
  };
  for (const Air& a : {Air{-10, 0.8, 101325, 0.001278876, -10.6482, -12.4896, -6885.32}, Air{5, 0.5, 101325, 0.002689292, 1.3542, -4.0332, 11780.93}, Air{15, 0.9, 101325, 0.009566333, 14.0098, 13.3745, 39282.30}, Air{25, 0.5, 101325, 0.009881044, 17.8894, 13.8640, 50321.96}, Air{35, 0.3, 101325, 0.01053888, 21.5235, 14.8436, 62253.81}, Air{45, 0.15, 101325, 0.008959896, 23.2691, 12.3890, 68428.64}, Air{30, 0.4, 85000, 0.01268066, 19.5252, 14.9358, 62601.91}, Air{20, 0.6, 70000, 0.01272312, 14.4949, 12.0075, 52413.83}, Air{38, 0.5, 97000, 0.02201229, 28.5435, 25.7603, 94836.58}}) {
    INFO(a.t_degC << " degC " << a.rh);
    const double W = humidity_ratio_from_relative_humidity(K(a.t_degC), a.rh, a.p_Pa);
    CHECK(W == Approx(a.humidity).epsilon(2e-4));
    CHECK(wet_bulb_K(K(a.t_degC), W, a.p_Pa) == Approx(K(a.wetbulb_degC)).margin(0.02));
    CHECK(dew_point_K(vapour_pressure_Pa(W, a.p_Pa)) == Approx(K(a.dewpoint_degC)).margin(0.02));
    CHECK(enthalpy_J_per_kg(K(a.t_degC), W) == Approx(a.enthalpy).epsilon(1e-3).margin(20.0));
  }
}

TEST_CASE("exchangers: closed forms, limits, inverse") {
  CHECK(counterflow_effectiveness(2.0, 1.0) == Approx(2.0 / 3.0));
  CHECK(counterflow_effectiveness(2.0, 0.0) == Approx(1.0 - std::exp(-2.0)));
  CHECK(counterflow_effectiveness(0.0, 0.5) == 0.0);
  const double e = std::exp(-1.5 * 0.4);
  CHECK(counterflow_effectiveness(1.5, 0.6) == Approx((1.0 - e) / (1.0 - 0.6 * e)));
  CHECK(counterflow_heat_W(1e4, 2e3, 0.0, 300, 290) == 0.0);
  const double UA = counterflow_UA_W_per_K(2e4, 3e3, 5e3, 10.0);
  CHECK(counterflow_heat_W(UA, 3e3, 5e3, 310.0, 300.0) == Approx(2e4));
  CHECK(counterflow_heat_W(UA, 3e3, 5e3, 300.0, 310.0) == Approx(-2e4));
  CHECK_THROWS_AS(counterflow_UA_W_per_K(4e4, 3e3, 5e3, 10.0), InputError);
  CHECK(flow_scaled_UA(100.0, 1.0, 1.0) == Approx(100.0));
  CHECK(flow_scaled_UA(100.0, 0.5, 0.5) == Approx(100.0 * std::pow(0.5, 0.8)));
}

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
  const double number = merkel_number(p.water_in_K, p.water_out_K, p.wetbulb_K, p.water_air_ratio, 101325.0);
  CHECK(number > 0.7);
  CHECK(number < 2.5);
  TowerParams plain = p;
  plain.ua_wetbulb_ratio = {1.0, 0.0, 0.0};
  const auto cool = Tower(plain).at(p.water_kg_per_s, K(28), K(15), 0.008, 101325.0, 1.0);
  CHECK(merkel_number(K(28), cool.leaving_K, K(15), p.water_air_ratio, 101325.0) == Approx(number).epsilon(0.12));
  CHECK(std::isinf(merkel_number(K(35), K(25), K(25.6), 1.2, 101325.0)));
  CHECK(tower.fan_W(0.5) < 0.3 * tower.fan_W(1.0));
  TowerParams bad = p;
  bad.water_out_K = bad.wetbulb_K - 1.0;
  CHECK_THROWS_AS(Tower(bad), InputError);
}

TEST_CASE("chiller: reference point, lift, cycling") {
  const ChillerParams p = plant("crah_chilled_water").chiller;
  const auto at = chiller_at(p, p.capacity_W, K(16), K(29.5));
  CHECK(at.available_W == Approx(p.capacity_W).epsilon(2e-3));
  CHECK(at.power_W == Approx(p.capacity_W / p.cop_ratio).epsilon(5e-3));
  CHECK(chiller_at(p, 0.8 * p.capacity_W, K(16), K(35)).power_W > chiller_at(p, 0.8 * p.capacity_W, K(16), K(25)).power_W);
  CHECK(chiller_at(p, 0.8 * p.capacity_W, K(10), K(29)).power_W > chiller_at(p, 0.8 * p.capacity_W, K(20), K(29)).power_W);
  const auto low = chiller_at(p, 0.05 * p.capacity_W, K(16), K(29.5));
  CHECK(low.cycling_frac == Approx(0.05 / p.plr_min_frac).epsilon(0.01));
  CHECK(chiller_at(p, 0.0, K(16), K(29.5)).power_W == 0.0);
  CHECK(chiller_at(p, 1.0, K(40), K(29.5)).outside);
  ChillerParams bad = p;
  bad.input_plr_ratio.pop_back();
  CHECK_THROWS_AS(check_chiller(bad), InputError);
}
