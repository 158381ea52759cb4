#include "sim/run_as_is.hpp"

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

TEST_CASE("a counterfactual outside the ranges runs as it is; run refuses it, and both agree on what is legal") {
  const auto short_run = [] { return tiny("", {"run.duration_h=0.01", "record.window.sample.start_s=20"}); };
  const Result legal = run(short_run()), as_is = run_as_is(short_run());
  CHECK(reals(as_is, "/day/pcc_mean_W") == reals(legal, "/day/pcc_mean_W"));
  Scenario never = short_run();
  never.halls.front().governor.thermal_target_K += 1000.0;
  CHECK_THROWS_WITH(run(never), Catch::Contains("thermal_target_degC"));
  CHECK(reals(run_as_is(never), "/day/pcc_mean_W") == reals(legal, "/day/pcc_mean_W"));  // nothing was limited by heat
}
