#include "tidewatt/cooling/outside_air_plant.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../../../src/cooling/outside_air_flows.hpp"
#include "catalog_file.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/random.hpp"
#include "tidewatt/cooling/climate.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"
#include "tidewatt/numerics/cvode.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {

constexpr Tick minute = 60 * ns_per_s;
double K(double degC) { return degC + 273.15; }

OutsideAirParams catalog_plant() { return catalog_file<OutsideAirParams>("plant/outside_air_evaporative.toml"); }

// No heat through the containment: the balances below are then closed forms.
OutsideAirParams tight_plant() {
  OutsideAirParams p = catalog_plant();
  p.metal_cold_W_per_K = 0.0;
  return p;
}

WeatherSample air(double t_degC, double rh, double p_Pa = 1e5) {
  const double W = humidity_ratio_from_relative_humidity(K(t_degC), rh, p_Pa);
  return {K(t_degC), W, wet_bulb_K(K(t_degC), W, p_Pa), p_Pa};
}

PlantInput load(const WeatherSample& outdoor, double it_W = 1e6, double flow = 60.0) { return {it_W, flow, outdoor}; }

// Runs at constant input until nothing moves.
PlantStep settled(const OutsideAirPlant& plant, const PlantInput& input) {
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, input, 0);
  PlantStep s;
  for (Tick t = 0; t < 12 * 60; ++t) s = plant.advance(state, input, t * minute, (t + 1) * minute, *workspace);
  return s;
}

double closure(const PlantStep& s) {
  return std::abs(s.heat_in_J + s.fan_J - s.heat_out_J - s.stored_change_J) / (s.heat_in_J + s.fan_J);
}

struct DayTotals {
  double in_J = 0, fan_J = 0, out_J = 0, stored_J = 0, water_kg = 0, electric_J = 0, min_K = 1e9, max_K = 0, worst = 0;
  std::vector<double> supply_K;
  double closure() const { return std::abs(in_J + fan_J - out_J - stored_J) / (in_J + fan_J); }
  double pue() const { return 1.0 + electric_J / in_J; }
};

DayTotals day(const OutsideAirPlant& plant, const Weather& weather, Tick step = minute, std::uint64_t seed = 0, double it_W = 1e6) {
  DayTotals d;
  auto workspace = plant.make_workspace();
  std::vector<double> state(plant.n_state());
  plant.initialise(state, load(weather.at(0), it_W, 60e-6 * it_W), 0);
  for (Tick t = 0; t < ns_per_day; t += step) {
    const double share = seed ? 0.3 + 0.7 * random::uniform(seed, random::Purpose::weather, 1, static_cast<std::uint64_t>(t / step)) : 1.0;
    const auto s = plant.advance(state, load(weather.mean(t, t + step), it_W * share, it_W * (20e-6 + 40e-6 * share)), t, t + step, *workspace);
    d.in_J += s.heat_in_J, d.fan_J += s.fan_J, d.out_J += s.heat_out_J, d.stored_J += s.stored_change_J;
    d.water_kg += s.water_kg;
    d.electric_J += s.fan_J + s.other_electric_W * seconds(step);
    d.min_K = std::min(d.min_K, s.supply_mean_K), d.max_K = std::max(d.max_K, s.supply_mean_K);
    d.worst = std::max(d.worst, closure(s));
    d.supply_K.push_back(s.supply_mean_K);
  }
  return d;
}

Weather climate_day(const std::string& name, int month, ClimateDay kind) {
  return climate_weather(catalog_file<ClimateParams>("climate/" + name + ".toml"), month, kind);
}

}  // namespace

TEST_CASE("energy closes to 1e-11 over random days, in each step and in sum") {
  const OutsideAirPlant plant(catalog_plant(), 5e6);
  std::uint64_t seed = 1;
  for (const auto& [place, month, kind] : {std::tuple{"phoenix_az", 7, ClimateDay::extreme}, std::tuple{"omaha_ne", 1, ClimateDay::typical},
                                           std::tuple{"leesburg_va", 5, ClimateDay::hot}}) {
    const DayTotals d = day(plant, climate_day(place, month, kind), minute, seed++, 5e6);
    INFO(place << ": closure " << d.closure() << ", worst step " << d.worst);
    CHECK(d.closure() < 1e-11);
    CHECK(d.worst < 1e-11);
    CHECK(d.in_J > 0.0);
  }
}

TEST_CASE("any flow perturbed on one side by 1e-6 breaks the closure") {
  using namespace outside_air;
  struct Spoilt final : numerics::OdeSystem {
    OutsideAirParams p;
    Conditions c;
    int which = -1;
    void rhs(double, std::span<const double> y, std::span<double> d) const override {
      derivatives(p, c, y, d);
      const Flows f = flows(p, c, y);
      const double flow[] = {f.supply_W, f.servers_W, f.leak_W, f.return_W, f.exhaust_W, f.intake_W, f.fan_W, f.latent_W, f.metal_cold_W, f.metal_hot_W};
      const std::size_t store[] = {cold_J, hot_J, hot_J, plenum_J, hot_J, plenum_J, plenum_J, plenum_J, cold_J, hot_J};
      if (which >= 0) d[store[which]] += 1e-6 * flow[which];
    }
  };
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  for (const bool summer : {true, false}) {
    const PlantInput input = load(summer ? air(40, 0.15) : air(0, 0.5));
    std::vector<double> names_typical(n_all, 1e6);
    numerics::Cvode solver({std::vector<std::string>(n_all, "x"), names_typical, outside_air::n_state, 1e-8, 20000});
    for (int which = -1; which < 10; ++which) {
      Spoilt system;
      system.p = plant.params();
      system.c = conditions(system.p, input);
      system.which = which;
      std::vector<double> y(n_all, 0.0);
      plant.initialise(std::span(y).first(outside_air::n_state), input, 0);
      y[metal_J] += 1e7;  // metal off its balance, so that its flows are not zero
      const double before = y[plenum_J] + y[cold_J] + y[hot_J] + y[metal_J];
      solver.advance(system, y, 600.0, 0.0);
      const double after = y[plenum_J] + y[cold_J] + y[hot_J] + y[metal_J];
      const double off = std::abs(y[heat_in_J] + y[fan_J] + y[intake_J] - y[exhaust_J] - y[latent_J] - after + before) / y[heat_in_J];
      INFO("flow " << which << (summer ? " summer " : " winter ") << off);
      const bool absent = (which == 3 && summer) || (which == 7 && !summer);  // no mixing in summer, no vapour in winter
      if (which < 0 || absent) CHECK(off < 1e-12);
      else CHECK(off > 1e-9);
    }
  }
}

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
      CHECK(s.supply_mean_K == Approx(out.drybulb_K - effectiveness * (out.drybulb_K - out.wetbulb_K) + fan_rise).margin(0.02));
    else
      CHECK(s.supply_mean_K == Approx(p.supply_high_K).margin(0.05));
    CHECK(s.supply_mean_K > out.wetbulb_K);
    // what evaporated is what the vapour books say, near 2.45 MJ/kg
    CHECK(s.latent_J / s.evaporated_kg == Approx(2.45e6).epsilon(0.02));
    CHECK(s.water_kg == Approx(s.evaporated_kg * 4.0 / 3.0));
  }
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
  CHECK(settled(plant, load(air(22, 0.5), 1e5, 4.0)).fan_mean_W == Approx(outside_air::fan_power_W(plant.params(), 0.25, 1.17)).epsilon(0.02));
  const PlantStep calm = settled(plant, load(air(22, 0.5), 1e6, 60.0)), starved = settled(plant, load(air(22, 0.5), 1e6, 100.0));
  CHECK(calm.capacity_margin_frac > 0.15);
  CHECK(starved.capacity_margin_frac < 0.0);
  CHECK(starved.supply_mean_K > calm.supply_mean_K + 1.5);  // hot air comes back to the servers
}

TEST_CASE("a dry hot day takes more water than a damp hot one; a winter day none") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const DayTotals phoenix = day(plant, climate_day("phoenix_az", 7, ClimateDay::hot)),
                  atlanta = day(plant, climate_day("atlanta_ga", 7, ClimateDay::hot)),
                  omaha = day(plant, climate_day("omaha_ne", 1, ClimateDay::typical));
  WARN("water kg/kWh: Phoenix " << phoenix.water_kg / 24000 << ", Atlanta " << atlanta.water_kg / 24000 << "; PUE of cooling: "
                                << phoenix.pue() << ", " << atlanta.pue() << ", Omaha in January " << omaha.pue()
                                << "; supply K: " << phoenix.min_K << " to " << phoenix.max_K << ", " << atlanta.min_K << " to "
                                << atlanta.max_K << ", " << omaha.min_K << " to " << omaha.max_K);
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

TEST_CASE("a tighter tolerance moves supply by less than 1 mK; halving the macro step converges") {
  const OutsideAirParams p = catalog_plant();
  const Weather weather = climate_day("phoenix_az", 5, ClimateDay::hot);
  const DayTotals a = day(OutsideAirPlant(p, 1e6, 1e-6), weather), b = day(OutsideAirPlant(p, 1e6, 1e-10), weather);
  double worst = 0.0;
  for (std::size_t i = 0; i < a.supply_K.size(); ++i) worst = std::max(worst, std::abs(a.supply_K[i] - b.supply_K[i]));
  WARN("largest change of supply under a 1e4 times tighter tolerance: " << worst << " K");
  CHECK(worst < 1e-3);
  CHECK(a.water_kg == Approx(b.water_kg).epsilon(1e-4));
}

TEST_CASE("state is all: a copy in a fresh workspace goes on with the same bits, and size scales") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const PlantInput input = load(air(36, 0.2));
  std::vector<double> state(plant.n_state());
  auto used = plant.make_workspace(), fresh = plant.make_workspace();
  plant.initialise(state, load(air(20, 0.5)), 0);
  for (Tick t = 0; t < 30; ++t) plant.advance(state, input, t * minute, (t + 1) * minute, *used);
  std::vector<double> copy = state;
  const PlantStep a = plant.advance(state, input, 30 * minute, 31 * minute, *used);
  const PlantStep b = plant.advance(copy, input, 30 * minute, 31 * minute, *fresh);
  CHECK(state == copy);
  CHECK(a.heat_out_J == b.heat_out_J);
  const PlantStep ten = settled(OutsideAirPlant(catalog_plant(), 1e7), load(air(36, 0.2), 1e7, 600.0)), one = settled(plant, input);
  CHECK(ten.supply_mean_K == Approx(one.supply_mean_K).margin(1e-4));
  CHECK(ten.fan_mean_W == Approx(10.0 * one.fan_mean_W).epsilon(1e-5));
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

TEST_CASE("impossible input and foreign workspaces are refused; the state stays") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  std::vector<double> state(plant.n_state());
  auto workspace = plant.make_workspace();
  plant.initialise(state, load(air(20, 0.5)), 0);
  const auto before = state;
  CHECK_THROWS_AS(plant.advance(state, load(air(20, 0.5), std::nan("")), 0, minute, *workspace), InputError);
  CHECK_THROWS_AS(plant.advance(state, load(air(20, 0.5), 1e6, 0.0), 0, minute, *workspace), InputError);
  CHECK_THROWS_AS(plant.advance(state, load(air(20, 0.5)), minute, minute, *workspace), InputError);
  PlantWorkspace other;
  CHECK_THROWS_AS(plant.advance(state, load(air(20, 0.5)), 0, minute, other), InputError);
  CHECK(state == before);
  OutsideAirParams p = catalog_plant();
  p.supply_high_K = p.supply_low_K;
  CHECK_THROWS_AS(OutsideAirPlant(p, 1e6), InputError);
}

TEST_CASE("a macro step costs a few hundred microseconds at most") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const Weather weather = climate_day("phoenix_az", 7, ClimateDay::hot);
  const auto start = std::chrono::steady_clock::now();
  const DayTotals d = day(plant, weather);
  const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 1440.0;
  WARN("a macro step takes " << us << " us");
  CHECK(d.closure() < 1e-11);
  CHECK(us < 5000.0);  // loose: machines are shared
}
