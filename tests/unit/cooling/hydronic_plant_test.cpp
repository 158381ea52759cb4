#include "hydronic_day.hpp"

#include "tidewatt/base/error.hpp"

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
