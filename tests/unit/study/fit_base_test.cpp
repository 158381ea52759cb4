#include "study/fit_base.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("priors of leakage are the catalog's ranges, or a factor where it has none", "[study][fit_base]") {
  FitBase base = fit_base("h100_sxm_700W");
  const auto own = leakage_priors(base);
  CHECK(own[0].low == 34.0);
  CHECK(own[0].high == 62.0);
  CHECK(own[1].low == Approx(0.022));
  base.range.clear();
  const auto none = leakage_priors(base);
  CHECK(none[0].low == Approx(0.5 * base.power.leakage_W));
  CHECK(none[1].high == Approx(1.5 * base.power.leakage_per_K));
  CHECK_THROWS_AS(fit_base("no_such_gpu"), InputError);
}
