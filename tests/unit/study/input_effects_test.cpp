#include "study/input_effects.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

namespace {

/// Two halls of the same servers, whose hosts are one assumed input, and a grid whose inertia is another.
sim::Scenario site() {
  auto s = sim::load_scenario_text(
      "schema = 1\n[run]\nduration_h = 0.1\n[[hall]]\nname = \"a\"\nn_gpu = 64\ngpu = \"h100_sxm_700W\"\n"
      "[[hall]]\nname = \"b\"\nn_gpu = 64\ngpu = \"h100_sxm_700W\"\n"
      "[[job]]\nname = \"main\"\nmodel = \"llama3_8b\"\n[job.plan]\ntp = 8\npp = 1\n",
      "site", ".");
  std::erase_if(s.assumed, [](const auto& a) {
    return a.key != "hall.a.server.power.host_W" && a.key != "hall.b.server.power.host_W" &&
           a.key != "grid.frequency.inertia_s";
  });
  return s;
}

}  // namespace

TEST_CASE("an assumed input's effect is that of a run with it at the ends of its range") {
  const auto s = site();
  REQUIRE(s.assumed.size() == 3);
  const auto base = sim::run(s);
  const auto found = study::input_effects(s, base, {1, ""});
  REQUIRE(found.inputs.size() == 2);
  const auto& host = found.inputs.front();
  CHECK(host.keys.size() == 2);
  REQUIRE(host.ends.size() == 2);
  const auto high =
      std::find_if(s.assumed.begin(), s.assumed.end(), [](const auto& a) { return a.key.ends_with("host_W"); })->high;
  const auto with_high = sim::run(sim::with_values(s, {{host.keys[0], high}, {host.keys[1], high}}));
  const double ratio = sim::figure(with_high, "pcc_mean_MW") / sim::figure(base, "pcc_mean_MW");
  CHECK(ratio > 1.01);
  CHECK(host.ends[1].change_frac.at("pcc_mean_MW") == Approx(ratio - 1.0).epsilon(1e-9));
  CHECK(host.ends[0].change_frac.at("pcc_mean_MW") < 0.0);
  // The grid's inertia acts on the load through its frequency only: some 1e-9.
  CHECK(found.inputs.back().keys.front() == "grid.frequency.inertia_s");
  CHECK(found.inputs.back().largest_frac < 1e-6);
  const std::string text = study::effects_text(found);
  CHECK(text.find("1 of 2 move a headline") != std::string::npos);
  CHECK(text.find("inertia_s") == std::string::npos);
  const auto json = nlohmann::json::parse(study::effects_json(found));
  CHECK(json["effects"].size() == 2);
}

TEST_CASE("effects are the same on one and on two threads") {
  const auto s = site();
  const auto base = sim::run(s);
  CHECK(study::effects_json(study::input_effects(s, base, {1, ""})) ==
        study::effects_json(study::input_effects(s, base, {2, ""})));
}
