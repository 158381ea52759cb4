#include "study/fit_package.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("the package has the poles that were asked for", "[study][fit_package]") {
  const thermal::PackageParams like{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};
  for (double fan : {0.5, 1.0}) {
    const TwoPoles poles{0.028, 1.6, 0.036, 42.0, 296, 0, {}};
    const auto p = package_with_poles(like, poles, fan);
    const auto m = thermal::package_modes(p, fan);
    CHECK(1.0 / m.rate_per_s[0] == Approx(42.0).epsilon(1e-6));
    CHECK(1.0 / m.rate_per_s[1] == Approx(1.6).epsilon(1e-6));
    CHECK(m.steady_K_per_W == Approx(0.064).epsilon(1e-6));
    CHECK(p.die_J_per_K == like.die_J_per_K);
  }
  CHECK_THROWS_AS(package_with_poles(like, {0.028, 1e-4, 0.036, 42.0, 296, 0, {}}, 1.0), SolverError);
}
