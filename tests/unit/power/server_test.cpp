#include "tidewatt/power/server.hpp"

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;

TEST_CASE("a server's AC power is the sum of where it goes") {
  const auto type = h100_node_type();
  for (double gpu_W : {560.0, 1200.0, 4400.0, 5520.0}) {
    const auto p = power::server_power(type.server, gpu_W, 0.75, true);
    CHECK(p.ac_W == Approx(gpu_W + p.conversion_W + p.host_W + p.fan_W + p.psu_W).epsilon(1e-15));
    CHECK(p.psu_W > 0);
  }
}

TEST_CASE("measured node levels of air-cooled 8xH100") {
  const auto type = h100_node_type();
  CHECK(power::server_power(type.server, 8 * 71, 0.4, false).ac_W == Approx(2325).epsilon(0.10));   // 2.1-2.55 kW idle
  CHECK(power::server_power(type.server, 8 * 690, 0.75, true).ac_W == Approx(8125).epsilon(0.07));  // 7.75-8.5 kW
  const double slope = (power::server_power(type.server, 5000, 0.75, true).ac_W -
                        power::server_power(type.server, 4000, 0.75, true).ac_W) /
                       1000;
  CHECK(slope > 1.05);
  CHECK(slope < 1.12);
}

TEST_CASE("fans obey the cube law") {
  const auto type = h100_node_type();
  CHECK(power::server_power(type.server, 0, 1.0, false).fan_W ==
        Approx(8 * power::server_power(type.server, 0, 0.5, false).fan_W));
}
