#include "cooling/hydronic_margin.hpp"

#include "hydronic_day.hpp"

using namespace hydronic_day;

namespace {

constexpr double rated_W = 1e6;

/// A plant after two days at 95 % of its load.
Totals settled(const std::string& name, const WeatherSample& outdoor, PlantCapacity have = {}) {
  const HydronicParams params = plant(name);
  const HydronicPlant built(params, rated_W);
  std::vector<double> state(built.n_state());
  PlantInput input = hall(params, rated_W, 0.95, outdoor);
  built.initialise(state, input, 0);
  input.capacity = have;
  return run(built, state, 0, 120 * minute, [&](Tick) { return input; });
}

}  // namespace

TEST_CASE(
    "chillers that are used up have a margin below 0 while the water is above its set point, and by more where it is "
    "hotter") {
  const auto mild = settled("cdu_dry_cooler", air(20, 0.4)), hot = settled("cdu_dry_cooler", air(43, 0.2)),
             hotter = settled("cdu_dry_cooler", air(46, 0.2));
  CHECK(mild.last.capacity_margin_frac > 0.1);
  REQUIRE(hot.last.liquid_supply_mean_K > plant("cdu_dry_cooler").loop_set_K + 2.0);
  CHECK(hot.last.capacity_margin_frac < -0.05);
  CHECK(hot.last.margin_part == PlantPart::chillers);
  CHECK(hotter.last.capacity_margin_frac < hot.last.capacity_margin_frac);
}

TEST_CASE("a plant that catches up after a start is not too small, though its rejection runs in full for a while") {
  const HydronicParams params = plant("frontier_like_tower");
  const HydronicPlant built(params, rated_W);
  std::vector<double> state(built.n_state());
  built.initialise(state, hall(params, rated_W, 0.2, air(25, 0.5)), 0);
  double least = 1.0, warmest_K = 0.0;
  for (int m = 0; m < 40; ++m) {
    const auto now =
        run(built, state, m * minute, minute, [&](Tick) { return hall(params, rated_W, 1.0, air(25, 0.5)); });
    least = std::min(least, now.last.capacity_margin_frac);
    warmest_K = std::max(warmest_K, now.last.liquid_supply_mean_K);
  }
  REQUIRE(warmest_K > params.loop_set_K + 0.3);
  REQUIRE(least < 0.05);
  CHECK(least >= 0.0);
}

TEST_CASE("each part that is out names itself") {
  const auto part = [](PlantCapacity have) { return settled("cdu_dry_cooler", air(25, 0.4), have).last.margin_part; };
  CHECK(part({.fan_frac = 0.1}) == PlantPart::fans);
  CHECK(part({.cdu_frac = 0.1}) == PlantPart::distribution);
  CHECK(part({.pump_frac = 0.1}) == PlantPart::pumps);
  CHECK(part({.rejection_frac = 0.0}) == PlantPart::rejection);
}

TEST_CASE(
    "without fans dry coolers keep natural draught: some heat leaves, far from all, and chillers do not run beyond "
    "their curves") {
  const auto out = settled("cdu_dry_cooler", air(25, 0.4), {.rejection_frac = 0.0});
  CHECK(out.out_J > 0.05 * out.in_J);
  CHECK(out.out_J < 0.7 * (out.in_J + out.inside_J));
  CHECK(out.last.chilled_frac < 0.01);
  CHECK(out.worst < 1e-11);
}
