#include "cooling/climate_year.hpp"

#include "catalog_file.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

TEST_CASE("a generated year entered later is the same year") {
  const auto c = catalog_file<ClimateParams>("climate/dallas_tx.toml");
  const Weather whole = climate_year(c, ClimateDay::hot, 3);
  const Tick start = 200 * ns_per_day + 7 * ns_per_hour;
  const Weather late = climate_year(c, ClimateDay::hot, 3, 0.65, start);
  for (const Tick t : {Tick{0}, 5 * ns_per_hour + 7, 170 * ns_per_day, 300 * ns_per_day})
    CHECK(late.at(t).drybulb_K == Approx(whole.at(t + start).drybulb_K).epsilon(1e-14));
  CHECK(late.local_at_start_ns() == 7 * ns_per_hour);
  CHECK_THROWS_AS(climate_year(c, ClimateDay::hot, 3, 0.65, 365 * ns_per_day), InputError);
}
