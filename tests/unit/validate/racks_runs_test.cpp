#include "validate/racks_runs.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "validate/row_kind.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("at most one fitted row per device and precision, at least 30 that set nothing", "[validate][racks]") {
  std::map<std::pair<std::string, std::string>, int> fits;
  std::set<std::string> ids;
  int blind = 0;
  for (const RackRun& run : rack_runs()) {
    INFO(run.id);
    CHECK(ids.insert(run.id).second);
    CHECK(run.expected_s > 0.0);
    // Tolerances are those of the list: 10 %, and 15 % for four bits and steps under half a second.
    const bool hard = run.plan.precision == "nvfp4" || (run.expected_s < 0.5 && run.id.starts_with("R5") == false);
    CHECK(run.tolerance_frac == (hard ? 0.15 : 0.10));
    CHECK((kind_of(run.id) == Kind::fit) == run.fitted);
    if (run.fitted)
      CHECK(++fits[{run.device, run.plan.precision}] == 1);
    else
      ++blind;
  }
  CHECK(blind >= 30);
}

TEST_CASE("the catalog holds what the fitted rows ask for, and nothing else moved it", "[validate][racks]") {
  for (const RackRun& run : rack_runs()) {
    if (!run.fitted) continue;
    INFO(run.id);
    auto gpu = device_of(run);
    CHECK(fitted_parameter(gpu, run) == Approx(exact_parameter(run)).margin(6e-4));
  }
}

TEST_CASE("a better efficiency shortens a run, a lower limit or slower memory lengthens it", "[validate][racks]") {
  for (const RackRun& listed : rack_runs()) {
    if (listed.id != "R5/8b-h100") continue;
    RackRun run = listed;
    auto gpu = device_of(run);
    const double as_given_s = step_s(run);
    gpu.fp8_efficiency_frac = 1.05 * gpu.fp8_efficiency_frac;
    CHECK(step_s(run, gpu, pace_of(run)) < as_given_s);
    run.tdp_W = 500;
    CHECK(step_s(run) > as_given_s);
    run.tdp_W = 0.0, run.hbm_B_per_s = 2.4e12;
    CHECK(step_s(run) > as_given_s);
  }
}
