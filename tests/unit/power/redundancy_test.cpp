#include "power/redundancy.hpp"

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
FeederParams lossless() {  // ratings alone decide: the arithmetic is done by hand
  FeederParams p;
  p.level[0] = {1000, 0.03e6, 0, 0, 0, 0};
  p.level[1] = {60, 0.5e6, 0, 0, 0, 0};
  p.level[2] = {12, 2.5e6, 0, 0, 0, 0};
  p.level[3] = {2, 40e6, 0, 0, 0, 0};
  p.load_power_factor_frac = p.auxiliary_power_factor_frac = 1.0;
  p.design_loading_frac = 0.8;
  return p;
}
}  // namespace

TEST_CASE("N, N+1 and 2N by hand, with what binds") {
  const auto f = lossless();
  auto n = capacity(f, 0.25, RedundancyParams::scheme(f, 0, false));
  CHECK(n.binds == "hall");
  CHECK(n.load_W == Approx(12 * 2.5e6 / 1.25).epsilon(1e-9));  // 24 MW, rows 30, racks 30, site 64
  auto one = capacity(f, 0.25, RedundancyParams::scheme(f, 1, false));
  CHECK(one.binds == "hall");
  CHECK(one.load_W == Approx(11 * 2.5e6 / 1.25).epsilon(1e-9));
  auto two = capacity(f, 0.25, RedundancyParams::scheme(f, 0, true));
  CHECK(two.load_W == Approx(6 * 2.5e6 / 1.25).epsilon(1e-9));
  auto contract = RedundancyParams::scheme(f, 1, false);
  contract.contract_W = 25e6;
  one = capacity(f, 0.25, contract);
  CHECK(one.binds == "contract");
  CHECK(one.load_W == Approx(20e6).epsilon(1e-9));
  CHECK(one.connection_W == Approx(25e6).epsilon(1e-9));
  auto breaker = RedundancyParams::scheme(f, 0, false);
  breaker.breaker_frac[1] = 0.5;
  one = capacity(f, 0.0, breaker);
  CHECK(one.binds == "row breaker");
  CHECK(one.load_W == Approx(15e6).epsilon(1e-9));
}

TEST_CASE("losses cost capacity, and a level without a spare is refused") {
  auto f = lossless();
  f.level[2].load_loss_W = 40e3;
  CHECK(capacity(f, 0.0, RedundancyParams::scheme(f, 0, false)).load_W == Approx(30e6).epsilon(1e-9));
  f.level[1].load_loss_W = 20e3;  // upstream of it the halls also carry the rows' losses
  CHECK(capacity(f, 0.0, RedundancyParams::scheme(f, 0, false)).load_W < 29e6);
  f.level[3].n_branch = 1;
  CHECK_THROWS_AS(capacity(f, 0.0, RedundancyParams::scheme(f, 1, false)), InputError);
}

TEST_CASE("the catalog's layouts read and size themselves") {
  for (const char* file : {"feeder/hall_480V.toml", "feeder/hall_415V_48V_rack.toml", "feeder/hall_800V_dc.toml",
                           "feeder/hall_480V_12V_node.toml"}) {
    FeederParams p;
    read_catalog_file(file, p);
    const auto sized = p.sized(20e6, 2e6);
    const auto c = capacity(sized, 0.1, RedundancyParams::scheme(sized, 0, false));
    CHECK(c.load_W > 20e6);
    const double lost = 1.0 - 22e6 / Feeder(sized).at(20e6, 2e6).connection_W();
    CHECK(lost > 0.005);
    CHECK(lost < 0.12);
  }
}
