
#include "bench/cvode.hpp"
#include "cooling/outside_air_flows.hpp"
#include "plant_day.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"

using namespace plant_day;

TEST_CASE("energy closes to 1e-11 over random days, in each step and in sum") {
  const OutsideAirPlant plant(catalog_plant(), 5e6);
  std::uint64_t seed = 1;
  for (const auto& [place, month, kind] :
       {std::tuple{"phoenix_az", 7, ClimateDay::extreme}, std::tuple{"omaha_ne", 1, ClimateDay::typical},
        std::tuple{"leesburg_va", 5, ClimateDay::hot}}) {
    const DayTotals d = day(plant, climate_day(place, month, kind), minute, seed++, 5e6);
    WARN(place << ": closure " << d.closure() << ", worst step " << d.worst);
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
      const double flow[] = {f.supply_W, f.servers_W, f.leak_W,   f.return_W,     f.exhaust_W,
                             f.intake_W, f.fan_W,     f.latent_W, f.metal_cold_W, f.metal_hot_W};
      const std::size_t store[] = {cold_J, hot_J, hot_J, plenum_J, hot_J, plenum_J, plenum_J, plenum_J, cold_J, hot_J};
      if (which >= 0) d[store[which]] += 1e-6 * flow[which];
    }
  };
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  for (const bool summer : {true, false}) {
    const PlantInput input = load(summer ? air(40, 0.15) : air(0, 0.5));
    std::vector<double> names_typical(n_all, 1e6);
    bench::Cvode solver({std::vector<std::string>(n_all, "x"), names_typical, outside_air::n_state, 1e-8, 20000});
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
      const double off =
          std::abs(y[heat_in_J] + y[fan_J] + y[intake_J] - y[exhaust_J] - y[latent_J] - after + before) / y[heat_in_J];
      INFO("flow " << which << (summer ? " summer " : " winter ") << off);
      const bool absent =
          (which == 3 && summer) || (which == 7 && !summer);  // no mixing in summer, no vapour in winter
      if (which < 0 || absent)
        CHECK(off < 1e-12);
      else
        CHECK(off > 1e-9);
    }
  }
}

TEST_CASE("a tighter tolerance moves supply by less than 1 mK; halving the macro step converges") {
  const OutsideAirParams p = catalog_plant();
  const Weather weather = climate_day("phoenix_az", 5, ClimateDay::hot);
  const DayTotals a = day(OutsideAirPlant(p, 1e6), weather), b = day(OutsideAirPlant(p, 1e6, 1e-10), weather);
  double worst = 0.0;
  for (std::size_t i = 0; i < a.supply_K.size(); ++i) worst = std::max(worst, std::abs(a.supply_K[i] - b.supply_K[i]));
  WARN("largest change of supply under a 1e5 times tighter tolerance: " << worst << " K");
  CHECK(worst < 1e-3);
  CHECK(a.water_kg == Approx(b.water_kg).epsilon(1e-4));
  // Macro steps take means of the weather: what is left is second order in the step.
  const OutsideAirPlant plant(p, 1e6);
  const double w60 = a.water_kg, w240 = day(plant, weather, 4 * minute).water_kg,
               w120 = day(plant, weather, 2 * minute).water_kg;
  INFO("water " << w240 << ", " << w120 << ", " << w60);
  CHECK(std::abs(w120 - w60) < 0.6 * std::abs(w240 - w120));
  CHECK(w240 == Approx(w60).epsilon(0.01));
}

TEST_CASE("a look ahead differs by less than a tenth of what lengthens macro steps") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  auto books = plant.make_workspace(), ahead = plant.make_forecast_workspace();
  std::vector<double> state(plant.n_state());
  plant.initialise(state, load(air(20, 0.5)), 0);
  double worst_K = 0.0;
  for (Tick t = 0; t < 48; ++t) {  // the outdoor air warms into evaporation and cools into mixing
    const PlantInput input = load(air(10.0 + 25.0 * std::sin(0.13 * static_cast<double>(t)), 0.3));
    std::vector<double> copy = state;
    const PlantStep guess = plant.advance(copy, input, t * 15 * minute, (t + 1) * 15 * minute, *ahead);
    const PlantStep step = plant.advance(state, input, t * 15 * minute, (t + 1) * 15 * minute, *books);
    CHECK(closure(guess) < 1e-11);
    worst_K = std::max(worst_K, std::abs(guess.supply_mean_K - step.supply_mean_K));
  }
  INFO("largest difference of the mean supply: " << worst_K << " K");
  CHECK(worst_K > 0.0);
  CHECK(worst_K < 0.002);
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
  const PlantStep ten = settled(OutsideAirPlant(catalog_plant(), 1e7), load(air(36, 0.2), 1e7, 600.0)),
                  one = settled(plant, input);
  CHECK(ten.supply_mean_K == Approx(one.supply_mean_K).margin(1e-4));
  CHECK(ten.fan_mean_W == Approx(10.0 * one.fan_mean_W).epsilon(1e-5));
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

TEST_CASE("a hot day of Phoenix closes its energy balance") {
  const OutsideAirPlant plant(catalog_plant(), 1e6);
  const Weather weather = climate_day("phoenix_az", 7, ClimateDay::hot);
  const DayTotals d = day(plant, weather);
  CHECK(d.closure() < 1e-11);
}
