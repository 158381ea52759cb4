#include "tidewatt/thermal/cold_plate.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const ColdPlateParams plate{0.012, 0.018, 0.6, 3900, 40, 0.05};
}

TEST_CASE("a plate at endless flow is its convection, at little flow its liquid", "[thermal][cold_plate]") {
  auto flat = plate;
  flat.flow_exponent_ratio = 0.0;
  CHECK(cold_plate_K_per_W(flat, 100.0) == Approx(0.012).epsilon(2e-3));
  const double few = 1e-4;
  CHECK(cold_plate_K_per_W(flat, few) == Approx(1.0 / (few * 3900 + 0.05)).epsilon(1e-6));
}

TEST_CASE("more flow always cools better, ever less so; none leaves only what stands still", "[thermal][cold_plate]") {
  double last = cold_plate_K_per_W(plate, 0.0), last_gain = 1e9;
  CHECK(last == Approx(20.0));
  for (double f = 0.003; f < 0.04; f += 0.003) {
    const double R = cold_plate_K_per_W(plate, f);
    CHECK(R < last);
    CHECK(last - R < last_gain);
    last_gain = last - R;
    last = R;
  }
  CHECK_THROWS_AS(cold_plate_K_per_W(plate, -1.0), InputError);
}
