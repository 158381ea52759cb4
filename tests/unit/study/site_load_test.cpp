#include "study/site_load.hpp"

#include <cmath>

#include "catch.hpp"
#include "grid/perc1_check.hpp"
#include "tidewatt/power/ups.hpp"

using namespace tidewatt;

namespace {

/// Drawn by supplies in a sag, over the power before, [ms]: the devices of a run, with constant load and no recharge.
std::vector<double> drawn_by_supplies(power::UpsParams p, const std::vector<double>& v_pu, double load_W) {
  p.rating_W = 1.2 * load_W;
  p.recharge_W = 0.0;
  p.battery.power_W = 2.0 * load_W;
  p.battery.energy_J = 600.0 * load_W;
  const power::Ups ups(p);
  auto state = ups.start();
  power::UpsMeters meters;
  const std::vector<double> load(v_pu.size(), load_W);
  std::vector<double> drawn(v_pu.size()), served(v_pu.size());
  ups.step(load, v_pu, drawn, served, state, meters);
  const double before = drawn.front();
  for (double& W : drawn) W /= before;
  return drawn;
}

}  // namespace

TEST_CASE("settings of one's own say what they replace, and what no record holds stays open") {
  sim::SiteDevices d;
  d.ups.emplace();
  const auto own = study::site_load(d, 100e6, 120e6, {"ups_central", ""});
  CHECK(own.from == "load_settings ups_central, which replace site.ups of the scenario");
  CHECK_THAT(own.open, Catch::VectorContains(std::string("transformer connection: balanced voltages only")));
  // Behind the scenario's supplies the plant is part of the load, and its motors are not called uncounted.
  const auto whole = study::site_load(d, 100e6, 120e6, {});
  REQUIRE(whole.parts.size() == 1);
  CHECK(whole.parts[0].group.power_W == 120e6);
  CHECK(whole.parts[0].group.name == "site behind the supplies (servers, plant, losses)");
  for (const auto& o : whole.open) CHECK(o.find("not counted") == std::string::npos);
  d.rack_storage.emplace();
  CHECK(study::unheld_devices(d) ==
        std::vector<std::string>{"storage in the racks: what it gives in a sag is not in the records"});
}

TEST_CASE("an input current limit that is given holds for the supplies, whatever the settings say") {
  study::LoadSource source{"ups_central", "", 1.1};
  for (const auto& p : study::site_load({}, 100e6, 120e6, source).parts)
    CHECK(std::isfinite(p.group.current_ratio) == (p.kind == grid::LoadKind::supply));
  source.settings.clear();
  const auto bare = study::site_load({}, 100e6, 120e6, source);
  CHECK(bare.parts[0].group.current_ratio == 1.1);
  for (const auto& o : bare.open) CHECK(o.find("input current limit") == std::string::npos);
}

TEST_CASE("the rated part of a run is the one that its rules look at") {
  const std::string text = "[site]\nrules_from_s = 300\n";
  CHECK(study::rated_part(text, 1800.0).length_s() == 1500.0);
  CHECK(study::rated_part(text + "rules_until_s = 900\n", 1800.0).until_s == 900.0);
  CHECK(study::rated_part("", 60.0).from_s == 0.0);
}

TEST_CASE("devices are read from a result's scenario: its own text over its base, overrides under [site], layouts") {
  const std::string text =
      "base = \"other.toml\"\n[site.ups]\ncatalog = \"ups_double_conversion\"\nlow_pu = 0.7\n[[hall]]\nname = \"a\"\n"
      "\n# ---- base = other.toml\n[site]\ndelivery = \"layout_480V_ups_diesel\"\n[site.ups]\nreturn_s = 3\n"
      "\n# --set site.ups.walk_in_s=7\n# --set job.main.plan.tp=4\n# --weather no_such.epw";
  const auto d = study::devices_of(text, "");
  REQUIRE(d.ups);
  CHECK(d.ups->low_pu == 0.7);
  CHECK(d.ups->walk_in_s == 7.0);
  CHECK(d.ups->high_pu == 1.1);
  CHECK_FALSE(d.ride_through);
  const auto curve = study::devices_of("[site]\nload_settings = \"own_supply\"\n", "");
  REQUIRE(curve.ride_through);
  CHECK(curve.back->count_limit == 3);
  CHECK_THROWS_AS(study::devices_of("[site]\nups = \"no_such_supply\"\n", ""), InputError);
}

TEST_CASE("powers: supplies and curves carry the whole site, bare servers leave plant and losses as the remainder") {
  sim::SiteDevices d;
  const auto bare = study::site_load(d, 12e6, 13e6, {});
  CHECK(bare.parts[0].group.power_W == 12e6);
  CHECK(bare.remainder_W == Approx(1e6));
  d = study::devices_of("[site]\nups = \"ups_double_conversion\"\n", "");
  const auto ups = study::site_load(d, 12e6, 13e6, {});
  CHECK(ups.parts[0].group.power_W == 13e6);
  CHECK(ups.remainder_W == 0.0);
  CHECK(ups.parts[0].recharge_frac == Approx(1.15 * 0.1));
  const auto own = study::site_load(d, 12e6, 13e6, {"ups_central", ""});
  CHECK(own.remainder_W == Approx(0.2e6));
  CHECK_THROWS_AS(study::site_load(d, 12e6, 13e6, {"no_such_settings", ""}), InputError);
}

TEST_CASE("records of site.ups follow the supplies of a run, bin by bin") {
  const auto d = study::devices_of(
      "[site.ups]\ncatalog = \"ups_double_conversion\"\nlockout_count = 0\nreturn_s = 2\nwalk_in_s = 3\n", "");
  const auto site = grid::perc1_site(study::site_load(d, 12e6, 12e6, {}).parts);
  for (const auto& [level, length] : {std::pair{0.3, 60}, {0.0, 400}, {0.8, 1500}, {0.9, 500}}) {
    INFO(level << " pu, " << length << " ms");
    std::vector<double> v(9000, 1.0);
    std::fill(v.begin() + 500, v.begin() + 500 + length, level);
    const auto run = drawn_by_supplies(*d.ups, v, 12e6);
    const auto record = grid::play_perc1(site.records[0].params, v, 1e-3);
    double worst = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto at = static_cast<int>(i);
      if (at < 520 && at >= 500) continue;  // left out, as in the check
      if (at >= 500 + length && at < 560 + length) continue;
      worst = std::max(worst, std::abs(run[i] - record.P_ratio[i]));
    }
    CHECK(worst < 0.005);
    CHECK(run.back() == Approx(1.0));
  }
}
