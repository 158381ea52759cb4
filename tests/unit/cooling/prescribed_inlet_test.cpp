#include "tidewatt/cooling/prescribed_inlet.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {
const PrescribedInletParams day{291.15, 303.15, 5 * 3600.0, 15 * 3600.0};
const PlantInput load{1e6, 60.0, {300.0, 0.008, 290.0, 1e5}};
PlantStep at_hour(double hour, double length_s = 1.0) {
  const PrescribedInlet plant(day, 0);
  auto workspace = plant.make_workspace();
  return plant.advance({}, load, to_tick(hour * 3600.0), to_tick(hour * 3600.0 + length_s), *workspace);
}
}  // namespace

TEST_CASE("18 °C at 05 h, 30 °C at 15 h, and the mean over a step is exact") {
  CHECK(at_hour(5.0).supply_end_K == Approx(291.15).margin(1e-6));
  CHECK(at_hour(15.0).supply_mean_K == Approx(303.15).margin(1e-6));
  CHECK(at_hour(10.0).supply_mean_K > 294.0);
  double sum = 0.0;
  for (int i = 0; i < 24; ++i) sum += at_hour(i, 3600.0).supply_mean_K / 24.0;
  CHECK(at_hour(0.0, 86400.0).supply_mean_K == Approx(sum).epsilon(1e-12));
}

TEST_CASE("the hour is local: a run that starts at 15 h starts at the warmest") {
  const PrescribedInlet plant(day, 15 * ns_per_hour);
  auto workspace = plant.make_workspace();
  CHECK(plant.advance({}, load, 0, ns_per_s, *workspace).supply_mean_K == Approx(303.15).margin(1e-5));
}

TEST_CASE("heat in is heat out; no fans, no water") {
  const PlantStep s = at_hour(9.0, 60.0);
  CHECK(s.heat_in_J == Approx(6e7).epsilon(1e-15));
  CHECK(s.heat_out_J == s.heat_in_J);
  CHECK(s.fan_J + s.water_kg + s.other_electric_W + s.stored_change_J == 0.0);
  CHECK(s.hot_aisle_mean_K - s.supply_mean_K == Approx(1e6 / (60.0 * 1.15 * 1006.0)).epsilon(0.03));
}

TEST_CASE("impossible input is refused") {
  CHECK_THROWS_AS(PrescribedInlet({300.0, 290.0, 0.0, 43200.0}, 0), InputError);
  const PrescribedInlet plant(day, 0);
  auto workspace = plant.make_workspace();
  PlantInput bad = load;
  bad.it_heat_W = 1e12;  // below 0 it is possible: warm air heats servers that were off
  CHECK_THROWS_AS(plant.advance({}, bad, 0, ns_per_s, *workspace), InputError);
  CHECK_THROWS_AS(plant.advance({}, load, ns_per_s, ns_per_s, *workspace), InputError);
}
