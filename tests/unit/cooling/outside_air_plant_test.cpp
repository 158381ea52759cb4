#include "tidewatt/cooling/outside_air_plant.hpp"

#include "cooling/outside_air_flows.hpp"
#include "plant_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace plant_day;

TEST_CASE("steady state with neither mixing nor evaporation: outdoor plus fan rise, plus the servers' rise") {
  const OutsideAirPlant plant(tight_plant(), 1e6);
  const PlantStep s = settled(plant, load(air(24, 0.5)));
  CHECK(s.return_mix_frac < 1e-9);
  CHECK(s.evaporation_frac == 0.0);
  CHECK(s.water_kg == 0.0);
  const double W = air(24, 0.5).humidity_ratio, cp = 1006.0 + 1860.0 * W;
  const double speed = 1.0 - s.capacity_margin_frac;
  const double flow_J_per_K = speed * 85.0 * dry_air_density_kg_per_m3(s.supply_mean_K, W, 1e5) * cp;
  CHECK(s.supply_mean_K - K(24) == Approx(s.fan_mean_W / flow_J_per_K).margin(2e-3));
  CHECK(s.hot_aisle_mean_K - s.supply_mean_K == Approx(1e6 / flow_J_per_K).epsilon(1e-3));
  CHECK(s.stored_change_J == Approx(0.0).margin(1e-4 * s.heat_in_J));
}

TEST_CASE("mixing holds the lower set point on a cold day, at the share that the balance asks for") {
  const OutsideAirPlant plant(tight_plant(), 1e6);
  for (const double t : {-25.0, -10.0, 5.0, 14.0}) {
    const PlantStep s = settled(plant, load(air(t, 0.4)));
    INFO(t << " degC outdoors");
    CHECK(s.supply_mean_K == Approx(K(18.0)).margin(0.02));
    // supply = (1-r) T_o + r T_hot + fan rise
    const double rise = s.fan_mean_W / 1e6 * (s.hot_aisle_mean_K - s.supply_mean_K);
    const double r = (s.supply_mean_K - rise - K(t)) / (s.hot_aisle_mean_K - K(t));
    CHECK(s.return_mix_frac == Approx(r).margin(2e-3));
    CHECK(s.water_kg == 0.0);
  }
}

TEST_CASE("damp mild air is warmed by return air until it is below the humidity limit") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const PlantStep wet = settled(plant, load(air(19, 0.99)));
  CHECK(wet.supply_rh_frac == Approx(0.80).margin(2e-3));
  CHECK(wet.supply_mean_K > K(19));
  CHECK(wet.return_mix_frac > 0.05);
}

TEST_CASE("full evaporation cools to dry bulb less effectiveness times the depression, never below the wet bulb") {
  OutsideAirParams p = tight_plant();
  p.supply_high_K = K(20.5);  // out of reach: everything is wetted
  p.rh_max_frac = 1.0;
  for (const double rh : {0.05, 0.2, 0.5}) {
    const OutsideAirPlant plant(p, 1e6);
    const WeatherSample out = air(42, rh);
    const PlantStep s = settled(plant, load(out));
    const double effectiveness = outside_air::media_effectiveness(plant.params(), 1.0 - s.capacity_margin_frac);
    const double fan_rise = s.fan_mean_W / 1e6 * (s.hot_aisle_mean_K - s.supply_mean_K);
    INFO("rh " << rh);
    if (s.evaporation_frac > 0.9999)
      CHECK(s.supply_mean_K ==
            Approx(out.drybulb_K - effectiveness * (out.drybulb_K - out.wetbulb_K) + fan_rise).margin(0.02));
    else
      CHECK(s.supply_mean_K == Approx(p.supply_high_K).margin(0.05));
    CHECK(s.supply_mean_K > out.wetbulb_K);
    // what evaporated is what the vapour books say, near 2.45 MJ/kg
    CHECK(s.latent_J / s.evaporated_kg == Approx(2.45e6).epsilon(0.02));
    CHECK(s.water_kg == Approx(s.evaporated_kg * 4.0 / 3.0));
  }
}

TEST_CASE("wet pads saturate: behind shut dampers the air that comes back is damp, and cools no further") {
  // Four in five handlers recirculate: what evaporates in one pass is in the air of the next.
  OutsideAirParams p = tight_plant();
  p.dampers_shut_frac = 0.8;
  p.rh_max_frac = 1.0;
  const OutsideAirPlant plant(p, 1e6);
  const WeatherSample out = air(36, 0.2);
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, load(out), 0);
  PlantStep s;
  for (Tick t = 0; t < 12 * 60; ++t) s = plant.advance(state, load(out), t * minute, (t + 1) * minute, *workspace);
  CHECK(s.return_mix_frac == Approx(0.8 * 0.9).margin(1e-6));
  CHECK(s.evaporation_frac > 0.999);  // all wet, and still too warm
  CHECK(s.supply_over_limit_K > 1.0);
  CHECK(s.supply_rh_frac < 1.0);
  CHECK(closure(s) < 1e-11);
  // With the vapour of outdoor air at the pads' inlet the same hall would evaporate far more.
  const double fresh = 1.0 - s.return_mix_frac;
  const double mixed_K = fresh * out.drybulb_K + s.return_mix_frac * s.hot_aisle_mean_K;
  const double supply_humidity = humidity_ratio_from_relative_humidity(s.supply_mean_K, s.supply_rh_frac, 1e5);
  const double inlet_humidity = out.humidity_ratio + s.return_mix_frac * (supply_humidity - out.humidity_ratio);
  const double damp_K = wet_bulb_K(mixed_K, inlet_humidity, 1e5), dry_K = wet_bulb_K(mixed_K, out.humidity_ratio, 1e5);
  CHECK(s.supply_mean_K > damp_K);
  CHECK(damp_K > dry_K + 2.0);
  const double effectiveness = outside_air::media_effectiveness(plant.params(), 1.0 - s.capacity_margin_frac);
  const double fan_rise = s.fan_mean_W / 1e6 * (s.hot_aisle_mean_K - s.supply_mean_K);
  CHECK(s.supply_mean_K == Approx(mixed_K - effectiveness * (mixed_K - damp_K) + fan_rise).margin(0.3));
}

TEST_CASE("dampers of two halves that work against each other bring hot air back while none is wanted") {
  OutsideAirParams p = tight_plant();
  p.dampers_apart_frac = 0.45;  // 70 % against 25 %
  const OutsideAirPlant apart(p, 1e6), sound(tight_plant(), 1e6);
  CHECK(outside_air::return_share(p, 0.475) == Approx(0.475));  // 0.70 and 0.25: the mean is what was asked for
  CHECK(outside_air::return_share(p, 0.0) == Approx(0.1125));   // one half is at its stop
  CHECK(outside_air::return_share(p, 0.9) == Approx(0.5 * (0.9 + 0.675)));
  const PlantStep bad = settled(apart, load(air(24, 0.4))), good = settled(sound, load(air(24, 0.4)));
  const double r = 0.1125, rise_K = good.hot_aisle_mean_K - K(24.0);
  CHECK(bad.supply_mean_K - good.supply_mean_K == Approx(r / (1.0 - r) * rise_K).epsilon(0.1));
  CHECK(settled(apart, load(air(5, 0.4))).supply_mean_K == Approx(K(18.0)).margin(0.05));  // control makes up for it
}

TEST_CASE("evaporation holds the upper limit, starts above it only, and stops at the humidity limit") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const PlantStep dry = settled(plant, load(air(40, 0.15)));
  CHECK(dry.supply_mean_K == Approx(K(29.4)).margin(0.05));
  CHECK(dry.water_kg > 0.0);
  const PlantStep below = settled(plant, load(air(28, 0.3)));
  CHECK(below.water_kg == 0.0);
  const PlantStep damp = settled(plant, load(air(34, 0.62)));
  CHECK(damp.supply_over_limit_K > 0.2);
  CHECK(damp.supply_rh_frac == Approx(0.80).margin(0.03));
  CHECK(damp.evaporation_frac < 1.0);
}

TEST_CASE("fans: cube law without aisle pressure, a bound at half flow, a floor, and a margin that ends") {
  OutsideAirParams p = catalog_plant();
  CHECK(outside_air::fan_power_W(p, 0.5, 1.2) < 0.30 * outside_air::fan_power_W(p, 1.0, 1.2));
  p.aisle_pressure_Pa = p.fan_droop_frac = p.fan_standby_W = 0.0;
  for (const double n : {0.3, 0.6, 0.9})
    CHECK(outside_air::fan_power_W(p, n, 1.2) == Approx(n * n * n * outside_air::fan_power_W(p, 1.0, 1.2)));
  CHECK(outside_air::fan_power_W(p, 1.0, 1.2) == Approx(85.0 * 600.0 / 0.60));
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  CHECK(settled(plant, load(air(22, 0.5), 1e5, 4.0)).fan_mean_W ==
        Approx(outside_air::fan_power_W(plant.params(), 0.25, 1.17)).epsilon(0.02));
  const PlantStep calm = settled(plant, load(air(22, 0.5), 1e6, 60.0)),
                  starved = settled(plant, load(air(22, 0.5), 1e6, 100.0));
  CHECK(calm.capacity_margin_frac > 0.15);
  CHECK(starved.capacity_margin_frac < 0.0);
  CHECK(starved.supply_mean_K > calm.supply_mean_K + 1.5);  // hot air comes back to the servers
}

TEST_CASE("a dry hot day takes more water than a damp hot one; a winter day none") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const DayTotals phoenix = day(plant, climate_day("phoenix_az", 7, ClimateDay::hot)),
                  atlanta = day(plant, climate_day("atlanta_ga", 7, ClimateDay::hot)),
                  omaha = day(plant, climate_day("omaha_ne", 1, ClimateDay::typical));
  WARN("water kg/kWh: Phoenix " << phoenix.water_kg / 24000 << ", Atlanta " << atlanta.water_kg / 24000
                                << "; PUE of cooling: " << phoenix.pue() << ", " << atlanta.pue()
                                << ", Omaha in January " << omaha.pue() << "; supply K: " << phoenix.min_K << " to "
                                << phoenix.max_K << ", " << atlanta.min_K << " to " << atlanta.max_K << ", "
                                << omaha.min_K << " to " << omaha.max_K);
  CHECK(phoenix.water_kg > 2.0 * atlanta.water_kg);
  CHECK(atlanta.water_kg > 0.0);
  CHECK(omaha.water_kg == 0.0);
  CHECK(omaha.min_K > K(17.9));
  CHECK(phoenix.max_K < K(29.7));
  for (const DayTotals* d : {&phoenix, &atlanta, &omaha}) {
    CHECK(d->pue() > 1.015);
    CHECK(d->pue() < 1.12);
  }
}

TEST_CASE("the step responses are damped: a load step in winter rings down") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, load(air(-5, 0.5), 4e5, 30.0), 0);
  double late = 0.0, peak = 0.0;
  for (Tick t = 0; t < 180; ++t) {
    const PlantStep s = plant.advance(state, load(air(-5, 0.5)), t * minute, (t + 1) * minute, *workspace);
    const double off = std::abs(s.supply_end_K - K(18));
    peak = std::max(peak, off);
    if (t > 60) late = std::max(late, off);
  }
  INFO("peak " << peak << " K, after an hour " << late << " K");
  CHECK(peak < 6.0);
  CHECK(late < 0.1);
}

TEST_CASE("weather that moves through a long step does what many short ones do, where pads begin to be wetted too") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const WeatherSample from = air(27.5, 0.35),
                      to = {from.drybulb_K + 2.0, from.humidity_ratio, from.wetbulb_K + 0.6, 1e5};
  const double long_s = 1800.0;
  const WeatherSample per_s = moves_per_s(from, to, long_s);
  auto workspace = plant.make_workspace();
  std::vector<double> start(plant.n_state());
  plant.initialise(start, load(from), 0);
  auto state = start;
  double short_mean_K = 0.0;
  PlantStep last;
  for (Tick t = 0; t < 60; ++t) {
    const PlantInput input = load(moved(from, per_s, 30.0 * (static_cast<double>(t) + 0.5)));
    last = plant.advance(state, input, t * minute / 2, (t + 1) * minute / 2, *workspace);
    short_mean_K += last.supply_mean_K / 60.0;
  }
  REQUIRE(last.evaporation_frac > 0.05);
  PlantInput input = load(moved(from, per_s, 0.5 * long_s));
  const auto whole = [&] {
    auto own = start;
    return plant.advance(own, input, 0, 30 * minute, *workspace);
  };
  const PlantStep still = whole();
  input.outdoor_per_s = per_s;
  const PlantStep moves = whole();
  CHECK(moves.supply_mean_K == Approx(short_mean_K).margin(5e-3));
  CHECK(moves.supply_end_K == Approx(last.supply_end_K).margin(0.02));
  CHECK(closure(moves) < 1e-9);
  // Weather of the step's middle leaves the plant there.
  CHECK(std::abs(still.supply_end_K - last.supply_end_K) > 0.2);
}
