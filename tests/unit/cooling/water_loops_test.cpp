// One facility water for air and liquid, or a warm one of its own for the liquid; what dry coolers leave above the dry bulb.
#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace hydronic_day;

namespace {

constexpr double rated_W = 2e6;

struct Steady {
  double pue, compressor_W, chilled_W, liquid_K, air_K, fan_W, worst;
};
/// The last hour of a day of steady weather and load.
Steady steady(const HydronicParams& p, double outdoor_degC, double load = 0.9) {
  const HydronicPlant built(p, rated_W);
  const auto input = [&](Tick) { return hall(p, rated_W, load, air(outdoor_degC, 0.25)); };
  std::vector<double> state(built.n_state());
  built.initialise(state, input(0), 0);
  const Totals first = run(built, state, 0, 23 * 60 * minute, input);
  const Totals d = run(built, state, 23 * 60 * minute, ns_per_day, input);
  const auto& s = d.last;
  return {d.pue(),
          s.chiller_mean_W,
          s.chilled_frac * built.params().chiller.capacity_W,
          s.liquid_supply_mean_K,
          s.supply_mean_K,
          s.rejection_fan_mean_W,
          std::max(first.worst, d.worst)};
}

HydronicParams one_loop(HydronicParams p) {
  p.water_loops = "one";
  return p;
}

std::string findings_of(const HydronicParams& p) {
  std::string out;
  for (const auto& f : check_set_points(p)) out += f.key + ": " + f.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("dry coolers leave 6 K above the dry bulb at their rating, by the logarithmic mean difference") {
  for (const char* name : {"cdu_dry_cooler", "cdu_dry_cooler_45C", "xai_memphis_like"}) {
    const HydronicParams p = plant(name);
    INFO(name);
    const double heat_W = p.reference_it_W;
    // 30 % propylene glycol and air at 20 degC, from tables.
    const double rise_K = heat_W / (p.reject_flow_kg_per_s * 3790.0),
                 air_rise_K = heat_W / (p.dry_air_kg_per_s * 1006.0);
    const auto heat_at = [&](double approach_K) {
      const double warm_K = approach_K + rise_K - air_rise_K, cold_K = approach_K;
      return p.dry_W_per_K * (warm_K - cold_K) / std::log(warm_K / cold_K);
    };
    CHECK(heat_at(5.9) < heat_W);
    CHECK(heat_at(6.1) > heat_W);
  }
}

TEST_CASE("a 45 degC hall needs no chiller for its liquid at 30 degC outdoors; with one water it does") {
  const HydronicParams two = plant("cdu_dry_cooler_45C"), one = one_loop(two);
  REQUIRE(two.water_loops == "two");
  for (const double outdoor_degC : {5.0, 20.0, 30.0, 44.0}) {
    const Steady a = steady(one, outdoor_degC), b = steady(two, outdoor_degC);
    WARN(outdoor_degC << " degC outdoors: PUE " << a.pue << " -> " << b.pue << ", chilled kW " << a.chilled_W / 1e3
                      << " -> " << b.chilled_W / 1e3 << ", fans kW " << a.fan_W / 1e3 << " -> " << b.fan_W / 1e3
                      << ", liquid " << b.liquid_K - 273.15 << ", air " << b.air_K - 273.15);
    CHECK(a.worst < 1e-11);
    CHECK(b.worst < 1e-11);
    CHECK(b.liquid_K == Approx(two.loop_set_K).margin(1.5));
    CHECK(b.air_K == Approx(two.air_set_K).margin(1.5));
    CHECK(b.pue < a.pue + 0.005);  // warmer water takes more of it: the CDUs' valves open
  }
  // The air's heat, its fans' and its pump's.
  const double air_W = 0.9 * rated_W * (1.0 - two.liquid_frac) + 2.0 * (two.air_fan_W + two.facility_pump_W);
  const Steady mild = steady(two, 20), warm = steady(two, 30), hot = steady(two, 44);
  CHECK(mild.compressor_W == 0.0);
  CHECK(warm.chilled_W > 0.8 * 0.9 * rated_W * (1.0 - two.liquid_frac));
  CHECK(warm.chilled_W < air_W);
  CHECK(steady(one, 30).chilled_W > 2.0 * warm.chilled_W);
  CHECK(steady(one, 30).pue > warm.pue + 0.03);
  // Where outdoor air cannot, machines hold the liquid as well.
  CHECK(hot.chilled_W > 0.9 * rated_W * two.liquid_frac);
}

TEST_CASE("the warm loop follows the liquid's set point, and colder liquid needs chillers earlier") {
  HydronicParams p = plant("cdu_dry_cooler_45C");
  const HydronicPlant usual(p, rated_W);
  REQUIRE(usual.waters().size() == 2);
  CHECK(usual.waters()[1].set_K == Approx(p.loop_set_K - p.cdu_approach_K));
  p.loop_set_K -= 5.0;
  const HydronicPlant colder(p, rated_W);
  CHECK(colder.waters()[1].set_K == Approx(usual.waters()[1].set_K - 5.0));
  CHECK(colder.waters()[0].set_K == usual.waters()[0].set_K);
  // Between the two: 45 degC liquid is held by the dry coolers, 38 degC liquid is not.
  p.loop_set_K = K(38);
  CHECK(steady(p, 30).chilled_W > 1.5 * steady(plant("cdu_dry_cooler_45C"), 30).chilled_W);
}

TEST_CASE("what two loops have together is what one has") {
  const HydronicParams p = plant("cdu_dry_cooler_45C");
  const HydronicPlant two(p, rated_W), one(one_loop(p), rated_W);
  const auto sum = [&](auto member) { return two.waters()[0].params.*member + two.waters()[1].params.*member; };
  for (const auto member :
       {&HydronicParams::economiser_W_per_K, &HydronicParams::reject_flow_kg_per_s, &HydronicParams::dry_W_per_K,
        &HydronicParams::dry_fan_W, &HydronicParams::facility_m3, &HydronicParams::facility_pump_W})
    CHECK(sum(member) == Approx(one.waters()[0].params.*member));
  CHECK(two.n_state() == one.n_state() + 10);
  // Its chillers carry the design heat of the air, fans and pump included.
  const double air_W = rated_W * (1.0 - p.liquid_frac) + two.params().air_fan_W;
  CHECK(two.waters()[0].params.chiller.capacity_W > air_W);
}

TEST_CASE("set points that cannot be are findings with key, value and range") {
  HydronicParams p = plant("cdu_dry_cooler_45C");
  CHECK(findings_of(p).empty());
  p.facility_set_K = p.air_set_K + 1.0;
  CHECK_THAT(findings_of(p), Catch::Contains("air_set_degC: 35 degC") && Catch::Contains("facility_set_degC = 36") &&
                                 Catch::Contains("allowed: above 36"));
  CHECK_THROWS_AS(HydronicPlant(p, rated_W), InputError);
  p = plant("cdu_dry_cooler_45C");
  p.cdu_approach_K = 0.0;
  CHECK_THAT(findings_of(p), Catch::Contains("cdu_approach_K"));
  p = plant("cdu_dry_cooler");
  p.loop_set_K = p.facility_set_K - 1.0;
  CHECK_THAT(findings_of(p), Catch::Contains("loop_set_degC: 28 degC") && Catch::Contains("facility_set_degC = 29"));
}
