#include "tidewatt/power/supply_chain.hpp"

#include <map>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/rack.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {

constexpr const char* chains[] = {"chain_480V_ups", "chain_480V_rack_storage", "chain_800V_power_rack",
                                  "chain_800V_row_centre", "chain_800V_solid_state"};

/// 16 GB300 NVL72 at their limit, at the busbar's far end: the trays' 50 V inputs.
double sixteen_racks_W() {
  return 16.0 * rack_rated_power(catalog::read_rack(catalog::Catalog(), "gb300_nvl72").power).busbar_W();
}

SupplyChain chain(const std::string& name, double design_W = sixteen_racks_W()) {
  return {catalog::read_supply_chain(catalog::Catalog(), name), design_W};
}

double loss_W(const SupplyChainPoint& p, const std::string& stage) {
  for (const auto& s : p.stages)
    if (s.name == stage) return s.loss_W;
  return 0.0;
}

/// Stages from 480 V AC, or from the 34.5 kV converter that replaces it, to the trays: the rest is upstream.
double rack_side_efficiency(const SupplyChainPoint& p, std::initializer_list<const char*> stages) {
  double efficiency = 1.0;
  for (const auto& s : p.stages)
    for (const char* name : stages)
      if (s.name == name) efficiency *= s.output_W / s.input_W;
  return efficiency;
}

}  // namespace

TEST_CASE("losses of five supplies add up to the connection's power, at every load") {
  for (const char* name : chains)
    for (const double share : {0.05, 0.3, 0.7, 1.0}) {
      INFO(name << " at " << share);
      const SupplyChainPoint p = chain(name).at(share * sixteen_racks_W());
      CHECK(p.closure() < 1e-12);
      CHECK(p.connection_W > p.load_W);
      for (std::size_t i = 0; i + 1 < p.stages.size(); ++i) CHECK(p.stages[i].output_W == p.stages[i + 1].input_W);
      SupplyChainPoint broken = p;
      broken.stages.front().loss_W = 0.0;  // any stage left out breaks the books
      CHECK(broken.closure() > 1e-4);
    }
}

TEST_CASE("a stage has the efficiency that its figures were taken from") {
  const SupplyChainParams ac = catalog::read_supply_chain(catalog::Catalog(), "chain_480V_rack_storage");
  const SupplyChainParams dc = catalog::read_supply_chain(catalog::Catalog(), "chain_800V_solid_state");
  const auto efficiency = [](const SupplyChainParams& from, const std::string& stage, double x) {
    for (const SupplyStage& s : from.stages)
      if (s.name == stage)
        return x / (x + s.no_load_loss_frac + x * (s.proportional_loss_frac + x * s.quadratic_loss_frac));
    return 0.0;
  };
  CHECK(efficiency(ac, "shelf_54V", 0.5) == Approx(0.975).margin(2e-4));
  CHECK(efficiency(ac, "shelf_54V", 1.0) == Approx(0.965).margin(2e-4));
  CHECK(efficiency(dc, "brick_800V_50V", 1.0) == Approx(0.981).margin(2e-4));
  double peak = 0.0;
  for (double x = 0.1; x <= 1.0; x += 0.01) peak = std::max(peak, efficiency(dc, "brick_800V_50V", x));
  CHECK(peak == Approx(0.985).margin(2e-4));
  CHECK(efficiency(dc, "solid_state_transformer", 1.0) == Approx(0.985).margin(2e-4));
  const SupplyChainParams power_rack = catalog::read_supply_chain(catalog::Catalog(), "chain_800V_power_rack");
  CHECK(efficiency(power_rack, "power_rack_rectifier", 1.0) == Approx(0.98).margin(2e-4));
}

TEST_CASE("the gain of 800 V is upstream, not in the rack") {
  const double load_W = sixteen_racks_W();
  std::map<std::string, SupplyChainPoint> p;
  for (const char* name : chains) p[name] = chain(name).at(load_W);
  // Two conversions from 480 V lose more than one 54 V shelf.
  const double shelf = rack_side_efficiency(p["chain_480V_ups"], {"shelf_54V"});
  const double two = rack_side_efficiency(p["chain_800V_power_rack"], {"power_rack_rectifier", "brick_800V_50V"});
  CHECK(two < shelf);
  CHECK(two == Approx(0.961).margin(0.006));
  // The whole chain still gains against a double-conversion supply, less than the UPS alone loses.
  const double gain = p["chain_800V_power_rack"].efficiency_frac() - p["chain_480V_ups"].efficiency_frac();
  CHECK(gain > 0.0);
  CHECK(gain < loss_W(p["chain_480V_ups"], "ups") / p["chain_480V_ups"].connection_W + 0.005);
  // Without a UPS in the way there is no gain to be had from the power rack; a solid-state transformer has one.
  CHECK(p["chain_480V_rack_storage"].efficiency_frac() > p["chain_800V_power_rack"].efficiency_frac());
  CHECK(p["chain_800V_solid_state"].efficiency_frac() > p["chain_800V_power_rack"].efficiency_frac());
}

TEST_CASE("hold-up is stored energy over what the stage gives") {
  const double load_W = sixteen_racks_W();
  const auto rectifier = [](const SupplyChainPoint& p) { return p.stages.at(2); };
  const SupplyStagePoint s = rectifier(chain("chain_800V_power_rack").at(load_W));
  REQUIRE(s.name == "power_rack_rectifier");
  CHECK(s.holdup_s == Approx(7200.0 * static_cast<double>(s.n_unit) / s.output_W));
  // 7.2 kJ carry a full shelf of 110 kW for 65 ms; these are loaded to three quarters at most.
  CHECK(s.holdup_s * s.loading_frac == Approx(7200.0 / 110e3));
}

TEST_CASE("units are counted for the design load; a load beyond the units is refused") {
  const double load_W = sixteen_racks_W();
  const SupplyChain c = chain("chain_480V_rack_storage");
  for (const auto& s : c.at(load_W).stages) CHECK(s.loading_frac <= 0.9);
  CHECK(c.at(load_W).stages[3].n_unit >= 16 * 5);  // shelves of 33 kW at three quarters
  CHECK_THROWS_AS(c.at(2.0 * load_W), InputError);
  CHECK_THROWS_AS(c.at(-1.0), InputError);
  CHECK_THROWS_AS(SupplyChain({}, 1e6), InputError);
  CHECK_THROWS_AS(chain("chain_480V_ups", 0.0), InputError);
}
