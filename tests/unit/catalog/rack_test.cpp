#include "tidewatt/catalog/rack.hpp"

#include <cstdio>

#include "base/fields_of.hpp"
#include "catch.hpp"
#include "tidewatt/power/server.hpp"

using namespace tidewatt;
using catalog::Catalog;

namespace {

std::vector<std::string> racks() {
  std::vector<std::string> out;
  for (const auto& [kind, name] : Catalog().list())
    if (kind == "rack") out.push_back(name);
  return out;
}

}  // namespace

TEST_CASE("the parts of every rack add up inside the vendors' range, within the printed spread") {
  const Catalog c;
  REQUIRE(racks().size() == 5);
  for (const std::string& name : racks()) {
    const auto spread = catalog::rack_spread(c, name);
    const auto p = catalog::read_rack(c, name).power;
    std::printf("%-18s %5.1f kW (%.1f to %.1f), vendors %.0f to %.0f\n", name.c_str(), 1e-3 * spread.nominal.input_W(),
                1e-3 * spread.low.input_W(), 1e-3 * spread.high.input_W(), 1e-3 * p.vendor_low_W,
                1e-3 * p.vendor_high_W);
    INFO(name);
    CHECK(spread.low.input_W() < spread.nominal.input_W());
    CHECK(spread.nominal.input_W() < spread.high.input_W());
    CHECK(spread.nominal.input_W() >= p.vendor_low_W);
    CHECK(spread.nominal.input_W() <= p.vendor_high_W);
  }
}

TEST_CASE("no part of a rack closes its sum: the sum is the parts', and it misses single vendors' figures") {
  const Catalog c;
  // 18 trays of 5.64 kW, nine switch trays of 1.5 kW, 3 kW of fans and management, 97.5 %.
  CHECK(catalog::rack_spread(c, "gb200_nvl72").nominal.input_W() ==
        Approx((18 * 5640.0 + 9 * 1500.0 + 3000.0) / 0.975));
  CHECK(catalog::rack_spread(c, "gb300_nvl72").nominal.input_W() ==
        Approx((18 * 6600.0 + 9 * 1500.0 + 3000.0) / 0.975));
  for (const char* name : {"gb200_nvl72", "gb300_nvl72"}) {
    const double nominal_W = catalog::rack_spread(c, name).nominal.input_W();
    const auto p = catalog::read_rack(c, name).power;
    CHECK(std::abs(nominal_W - p.vendor_low_W) > 100.0);
    CHECK(std::abs(nominal_W - p.vendor_high_W) > 100.0);
  }
}

TEST_CASE("a rack of trays without a process draws more than its GPUs and CPUs alone") {
  const Catalog c;
  // Lower bounds from readings: 20.4 kW in the trays of GB200, 27.4 kW in those of GB300, switches and fans not counted.
  for (const auto& [name, trays_W] : {std::pair{"gb200_nvl72", 20.4e3}, {"gb300_nvl72", 27.4e3}}) {
    const auto p = catalog::read_rack(c, name).power;
    const auto idle = power::rack_idle_power(p);
    CHECK(idle.gpus_W + idle.cpus_W + idle.tray_other_W == Approx(trays_W).epsilon(0.005));
    CHECK(idle.input_W() > trays_W + 13e3);
  }
  CHECK_THROWS_AS(power::rack_idle_power(catalog::read_rack(c, "vera_rubin_nvl72").power), InputError);
}

TEST_CASE("the trays of a run draw what the rack draws, its switch trays and management included") {
  const Catalog c;
  for (const std::string& name : racks()) {
    INFO(name);
    const auto rack = catalog::read_rack(c, name);
    const auto spread = catalog::rack_spread(c, name);
    const auto server = fields_of<power::ServerPowerParams>(*c.values("server", rack.server).find("power"));
    const double trays_W =
        static_cast<double>(rack.power.n_compute_tray) *
        power::server_power(server, static_cast<double>(server.n_gpu) * rack.power.gpu_W, 1.0, true).ac_W;
    CHECK(trays_W == Approx(spread.nominal.input_W()).epsilon(0.035));
    CHECK(trays_W > spread.low.input_W());
    CHECK(trays_W < spread.high.input_W());
  }
}

TEST_CASE("shelves carry the rated rack with the spare ones out") {
  for (const std::string& name : racks()) {
    INFO(name);
    const auto p = catalog::read_rack(Catalog(), name).power;
    const double busbar_W = power::rack_rated_power(p).busbar_W();
    CHECK(static_cast<double>(p.n_shelf_needed) * p.shelf_rating_W >= busbar_W);
    CHECK(p.n_shelf >= p.n_shelf_needed);
  }
}

TEST_CASE("a rack that misses a part or names one too much is refused with everything at once") {
  CHECK_THROWS_AS(catalog::read_rack(Catalog(), "gb200_nvl27"), InputError);
  CHECK_THROWS_AS(catalog::read_supply_chain(Catalog(), "chain_240V"), InputError);
}
