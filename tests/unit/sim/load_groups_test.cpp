#include "sim/load_groups.hpp"

#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;

TEST_CASE("a site's groups follow from its settings: supplies, a curve, or ITIC servers that stop") {
  const auto bare = sim::site_groups(tiny(""));
  REQUIRE(bare.groups.size() == 1);
  CHECK(bare.groups[0].power_W == bare.largest_W);
  CHECK(bare.largest_W > 128 * 700.0);
  CHECK_FALSE(bare.groups[0].returns);
  CHECK(bare.open.front().find("ITIC") != std::string::npos);
  CHECK(std::isinf(bare.groups[0].current_ratio));

  const auto ups = sim::site_groups(tiny("", {"site.ups=ups_double_conversion", "site.ups.low_pu=0.5"}), 1.25);
  CHECK(ups.groups[0].voltage[0].limit == 0.5);
  CHECK(ups.groups[0].voltage[0].setting == "site.ups.low_pu (0.5)");
  CHECK(ups.groups[0].count_limit == 3);
  CHECK(ups.groups[0].return_s == 10.0);
  CHECK(ups.groups[0].current_ratio == 1.25);

  const auto curve =
      sim::site_groups(tiny("", {"site.load_settings=own_supply", "site.load_settings.group.servers.low_pu=[0.75]",
                                 "site.load_settings.group.servers.low_after_s=[0.02]"}));
  CHECK(curve.groups[0].voltage[0].limit == 0.75);
  CHECK(curve.groups[0].voltage[0].after_s == Approx(0.02));
  CHECK(curve.groups[0].count_below_pu == 0.7);
  CHECK(curve.groups[0].ramp_s == 60.0);
}
