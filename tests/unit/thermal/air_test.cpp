#include "tidewatt/thermal/air.hpp"

#include "catch.hpp"
#include "tidewatt/thermal/package.hpp"

using namespace tidewatt::thermal;

TEST_CASE("the heat capacity of air follows its temperature, pressure and humidity") {
  CHECK(air_J_per_m3_K(293.15) == Approx(1.204 * 1006.0).epsilon(1e-3));  // 1.204 kg/m³ at 20 °C
  CHECK(air_J_per_m3_K(293.15, 0.0, 0.8 * sea_level_Pa) == Approx(0.8 * air_J_per_m3_K(293.15)));
  CHECK(air_J_per_m3_K(2.0 * 293.15) == Approx(0.5 * air_J_per_m3_K(293.15)));
  // Vapour takes place from the air, and carries more heat: per kg of dry air 1.86/1.006 of what the air does.
  const double W = 0.02;
  CHECK(moist_air_cp_J_per_kg_K(W) == Approx(1006.0 + 0.02 * 1860.0));
  CHECK(air_J_per_m3_K(303.15, W) / air_J_per_m3_K(303.15) ==
        Approx((1.0 + W * 1860.0 / 1006.0) / (1.0 + W / 0.621945)));
  // Sinks and fans are rated in air of 25 °C.
  CHECK(reference_air_J_per_m3_K == Approx(air_J_per_m3_K(298.15)).epsilon(2e-3));
}
