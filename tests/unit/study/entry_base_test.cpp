#include "study/entry_base.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/power/server.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("an entry gives its values, its assumed ranges and factors where it has none", "[study][entry_base]") {
  const EntryBase server("server", "dgx_h100");
  CHECK(server.value("power.host_W") == 1450);
  const auto range = server.prior("power.host_W", 9.0);
  CHECK(range.key == "host_W");
  CHECK(range.low == 1100);
  CHECK(range.high == 1700);
  const auto factor = server.prior("air.preheat_mixing_ratio", 2.0, "mixing");
  CHECK(factor.key == "mixing");
  CHECK(factor.low == Approx(0.45));
  CHECK(server.read<power::ServerPowerParams>("power").psu_rating_W == 19800);
  CHECK_THROWS_AS(server.value("power.nothing_W"), InputError);
  CHECK_THROWS_AS(server.prior("position.node_correlation_ratio_", 2.0), InputError);
  CHECK_THROWS_AS(EntryBase("server", "dgx_h1000"), InputError);
}
