#include <algorithm>
#include <ctime>

#include "hydronic_day.hpp"
#include "tidewatt/cooling/plant_year.hpp"

using namespace hydronic_day;

TEST_CASE("each catalog plant closes its books, holds its set points and costs what such plants cost") {
  struct Case {
    const char *name, *place;
    int month;
    ClimateDay kind;
    double pue_lo, pue_hi;
  };
  for (const Case& c : {Case{"crah_chilled_water", "phoenix_az", 7, ClimateDay::hot, 1.12, 1.45},
                        Case{"crah_chilled_water", "chicago_il", 1, ClimateDay::typical, 1.04, 1.20},
                        Case{"cdu_dry_cooler", "leesburg_va", 7, ClimateDay::hot, 1.03, 1.25},
                        Case{"cdu_dry_cooler", "seattle_wa", 1, ClimateDay::typical, 1.01, 1.08},
                        Case{"xai_memphis_like", "little_rock_ar", 7, ClimateDay::hot, 1.05, 1.35},
                        Case{"frontier_like_tower", "atlanta_ga", 4, ClimateDay::typical, 1.02, 1.07}}) {
    const HydronicParams params = plant(c.name);
    const double rated_W = 5e6;
    const HydronicPlant built(params, rated_W);
    const Weather weather = climate_day(c.place, c.month, c.kind);
    std::vector<double> state(built.n_state());
    const auto input = [&](Tick t) { return hall(params, rated_W, 0.8, weather.mean(t, t + minute)); };
    built.initialise(state, input(0), 0);
    const Totals d = run(built, state, 0, ns_per_day, input);
    WARN(c.name << " in " << c.place << ": PUE " << d.pue() << ", water " << d.water_kg / (d.in_J / 3.6e6)
                << " L/kWh, closure " << d.closure() << ", worst step " << d.worst << ", " << d.us_per_step
                << " us a step, supply " << d.last.supply_mean_K - 273.15 << ", liquid "
                << d.last.liquid_supply_mean_K - 273.15 << ", margin " << d.last.capacity_margin_frac << ", chilled "
                << d.last.chilled_frac);
    CHECK(d.closure() < 1e-11);
    CHECK(d.worst < 1e-11);
    CHECK(d.pue() > c.pue_lo);
    CHECK(d.pue() < c.pue_hi);
    CHECK(d.last.supply_mean_K == Approx(params.air_set_K).margin(1.5));
    if (params.liquid_frac > 0.0) CHECK(d.last.liquid_supply_mean_K == Approx(params.loop_set_K).margin(1.5));
    CHECK((d.water_kg > 0.0) == (params.rejection == "tower"));
  }
}

TEST_CASE("parts fail: heat is stored, the hall warms, the rest speeds up, and repair brings it back") {
  const HydronicParams params = plant("crah_chilled_water");
  const double rated_W = 2e6;
  const HydronicPlant built(params, rated_W);
  const WeatherSample hot = air(38, 0.25);
  std::vector<double> state(built.n_state());
  built.initialise(state, hall(params, rated_W, 0.8, hot), 0);
  const auto before = state;
  const auto with = [&](PlantCapacity have) {
    return [&params, rated_W, hot, have](Tick) {
      PlantInput input = hall(params, rated_W, 0.8, hot);
      input.capacity = have;
      return input;
    };
  };
  for (const auto& [kind, have] :
       {std::pair{"fans", PlantCapacity{.fan_frac = 0.0}}, std::pair{"pumps", PlantCapacity{.pump_frac = 0.0}},
        std::pair{"chillers", PlantCapacity{.chiller_frac = 0.0}},
        std::pair{"cells", PlantCapacity{.rejection_frac = 0.0}}}) {
    state = before;
    const Totals out = run(built, state, 0, 20 * minute, with(have));
    const double hot_K = out.last.supply_end_K;
    const Totals back = run(built, state, 20 * minute, 8 * 60 * minute, with({}));
    WARN(kind << " out 20 min: supply " << hot_K - 273.15 << ", after repair " << back.last.supply_end_K - 273.15);
    // Without cells the rejection loop fills with heat first; the chillers carry it up there for a while.
    if (have.rejection_frac > 0.0) CHECK(hot_K > params.air_set_K + 1.0);
    CHECK(out.stored_J > 0.0);
    CHECK(back.last.supply_end_K == Approx(params.air_set_K).margin(0.5));
    CHECK(out.worst < 1e-11);
    CHECK(back.worst < 1e-11);
  }
  state = before;
  const Totals half = run(built, state, 0, 60 * minute, with({.fan_frac = 0.9}));
  CHECK(half.last.supply_end_K == Approx(params.air_set_K).margin(0.5));
  CHECK(half.last.capacity_margin_frac <
        run(built, state = before, 0, 60 * minute, with({})).last.capacity_margin_frac);
}

TEST_CASE("a plant without power draws nothing, keeps its heat and starts again when it is back") {
  for (const auto* name : {"crah_chilled_water", "cdu_dry_cooler", "frontier_like_tower"}) {
    INFO(name);
    const HydronicParams params = plant(name);
    const double rated_W = 2e6;
    const HydronicPlant built(params, rated_W);
    std::vector<double> state(built.n_state());
    auto input = hall(params, rated_W, 0.8, air(30, 0.4));
    built.initialise(state, input, 0);
    auto workspace = built.make_workspace();
    const double before_W = plant_electric_W(built.advance(state, input, 0, minute, *workspace), 60.0);
    auto dark = input;
    dark.powered = false;
    dark.capacity = no_capacity;
    dark.it_heat_W = 0.01 * input.it_heat_W;
    dark.liquid_heat_W = 0.0;
    const auto off = built.advance(state, dark, minute, 2 * minute, *workspace);
    CHECK(plant_electric_W(off, 60.0) == 0.0);
    CHECK(off.water_kg == 0.0);
    CHECK(off.stored_change_J == Approx(off.heat_in_J - off.heat_out_J).epsilon(1e-9));
    CHECK(off.liquid_flow_mean_kg_per_s == 0.0);
    PlantStep on;
    for (Tick k = 2; k < 60; ++k) on = built.advance(state, input, k * minute, (k + 1) * minute, *workspace);
    CHECK(plant_electric_W(on, 60.0) > 0.5 * before_W);
  }
}

TEST_CASE("heat reuse takes heat away from the cooler, and the books still close") {
  HydronicParams params = plant("cdu_dry_cooler");
  const WeatherSample mild = air(15, 0.5);
  params.reuse_W_per_K = 5e4, params.reuse_K = K(25), params.reuse_max_W = 3e5;
  const HydronicPlant built(params, 1e6);
  std::vector<double> state(built.n_state());
  const auto input = [&](Tick) { return hall(params, 1e6, 0.8, mild); };
  built.initialise(state, input(0), 0);
  const Totals d = run(built, state, 0, 60 * minute, input);
  CHECK(d.last.reuse_J / 60.0 == Approx(3e5).epsilon(1e-6));
  CHECK(d.worst < 1e-11);
}

TEST_CASE("a chiller starts and stops when it should, however long the step") {
  const HydronicParams params = plant("cdu_dry_cooler");
  const double rated_W = 1e6;
  const HydronicPlant built(params, rated_W);
  const auto weather = [](Tick t) { return air(t < 60 * minute ? 33 : 18, 0.3); };  // hot, then mild at once
  const auto course = [&](Tick step) {
    std::vector<double> state(built.n_state()), supply_K;
    built.initialise(state, hall(params, rated_W, 0.9, air(18, 0.3)), 0);
    auto workspace = built.make_workspace();
    double sum_K_s = 0.0, chilled = 0.0;
    for (Tick t = 0; t < 120 * minute; t += step) {
      const PlantStep s = built.advance(state, hall(params, rated_W, 0.9, weather(t)), t, t + step, *workspace);
      CHECK(closure(s) < 1e-11);
      sum_K_s += s.liquid_supply_mean_K * seconds(step), chilled += s.chilled_frac * seconds(step);
      if ((t + step) % (15 * minute) == 0) supply_K.push_back(sum_K_s / 900.0), sum_K_s = 0.0;
    }
    supply_K.push_back(chilled);
    return supply_K;
  };
  const auto fine = course(5 * ns_per_s);
  REQUIRE(fine.back() > 300.0);  // chillers run
  for (const Tick step : {minute, 5 * minute, 15 * minute}) {
    const auto coarse = course(step);
    INFO(step / minute << " min");
    for (std::size_t i = 0; i + 1 < fine.size(); ++i) CHECK(std::abs(coarse[i] - fine[i]) < 0.005);
    CHECK(coarse.back() == Approx(fine.back()).epsilon(0.005));
  }
}

TEST_CASE("a macro step of 26 states stays within its budget") {
  const HydronicParams params = plant("frontier_like_tower");
  const HydronicPlant built(params, 20e6);
  const Weather weather = climate_day("atlanta_ga", 7, ClimateDay::hot);
  std::vector<double> state(built.n_state());
  const auto input = [&](Tick t) { return hall(params, 20e6, 0.8, weather.mean(t, t + minute)); };
  built.initialise(state, input(0), 0);
  const std::clock_t start = std::clock();
  const Totals d = run(built, state, 0, ns_per_day, input);
  const double us = 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 1440.0;
  WARN("a macro step takes " << us << " us CPU: " << 60e6 / us << " times real time");
  CHECK(d.worst < 1e-11);
  CHECK(us < 2000.0);  // loose: machines are shared
}

TEST_CASE("weather that moves through a long step does what many short ones do") {
  const char* name = "frontier_like_tower";
  const HydronicParams params = plant(name);
  const double rated_W = 2e6, long_s = 3600.0;
  const HydronicPlant built(params, rated_W);
  const WeatherSample from = air(24, 0.5), to = air(30, 0.4), per_s = moves_per_s(from, to, long_s);
  const auto at = [&](double s) { return hall(params, rated_W, 0.8, moved(from, per_s, s)); };
  std::vector<double> start(built.n_state());
  built.initialise(start, at(0.0), 0);
  auto state = start;
  const Totals d = run(built, state, 0, 60 * minute, [&](Tick t) { return at(seconds(t) + 30.0); });
  PlantInput input = at(0.5 * long_s);
  auto workspace = built.make_workspace();
  const auto electric_J = [&](std::vector<double>& end) {
    end = start;
    return plant_electric_W(built.advance(end, input, 0, 60 * minute, *workspace), long_s) * long_s;
  };
  std::vector<double> still, moves;
  electric_J(still);
  input.outdoor_per_s = per_s;
  CHECK(electric_J(moves) == Approx(d.electric_J).epsilon(2e-3));
  const auto names = built.state_names();
  const auto drive =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "reject_drive_frac") - names.begin());
  CHECK(moves[drive] == Approx(state[drive]).margin(0.01));
  CHECK(std::abs(still[drive] - state[drive]) > 0.02);
}
