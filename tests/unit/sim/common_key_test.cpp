#include "sim/common_key.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("an assumed input has one name in all halls, jobs and items of a list") {
  CHECK(sim::common_key("hall.a.gpu.power.leakage_W") == "hall.gpu.power.leakage_W");
  CHECK(sim::common_key("job.main.plan.recompute") == "job.plan.recompute");
  CHECK(sim::common_key("hall.b.gpu.power.table_V[3]") == "hall.gpu.power.table_V");
  CHECK(sim::common_key("grid.frequency.inertia_s") == "grid.frequency.inertia_s");
}

TEST_CASE("what an assumed input has done to a headline is known for all halls") {
  CHECK(sim::known_effect_frac("hall.x.server.power.host_W") > 0.01);
  CHECK(sim::known_effect_frac("grid.frequency.inertia_s") < 1e-9);  // it is in no headline
  CHECK(std::isnan(sim::known_effect_frac("hall.x.gpu.no_such_input")));
}
