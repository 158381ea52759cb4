#include "study/catalog_plant.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("plants of the catalog are built for their heat, and climates begin on 1 January", "[study][catalog_plant]") {
  const catalog::Catalog catalog;
  const auto air = catalog_plant(catalog, "outside_air_evaporative", 2e6);
  CHECK(air.liquid_frac == 0.0);
  CHECK(air.plant->n_state() > 0);
  const auto liquid = catalog_plant(catalog, "cdu_dry_cooler", 2e6);
  CHECK(liquid.liquid_frac > 0.5);
  CHECK(liquid.loop_kg_per_s == Approx(2.0 * catalog_plant(catalog, "cdu_dry_cooler", 1e6).loop_kg_per_s));
  CHECK_THROWS_AS(catalog_plant(catalog, "prescribed_llama3_day", 1e6), InputError);
  const auto winter = catalog_weather(catalog, "phoenix_az", "", "typical", 1).mean(0, to_tick(30.0 * 86400.0)),
             summer = catalog_weather(catalog, "phoenix_az", "", "typical", 1)
                          .mean(to_tick(181.0 * 86400.0), to_tick(211.0 * 86400.0));
  CHECK(summer.drybulb_K > winter.drybulb_K + 15.0);
  CHECK_THROWS_AS(catalog_weather(catalog, "phoenix_az", "", "mild", 1), InputError);
}
