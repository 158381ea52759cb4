#include "study/ride_study.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using nlohmann::json;

namespace {
study::RideOptions forced(const char* rule) {
  study::RideOptions o;
  o.rule = rule;
  o.as_if = true;
  return o;
}
}  // namespace

TEST_CASE("servers without supplies leave below 0.70 pu past 20 ms, and stay above it") {
  auto o = forced("ercot_nogrr282");
  o.voltage_pu = 0.69;
  o.duration_s = 0.021;
  const auto deep = study::ride(tiny(), "tiny.toml", o);
  CHECK_FALSE(json::parse(deep.json)["point"]["stays"].get<bool>());
  CHECK_THAT(deep.text, Catch::Contains("at 0.69 pu for 0.021 s:") && Catch::Contains("MW leave after"));
  o.voltage_pu = 0.71;
  const auto shallow = study::ride(tiny(), "tiny.toml", o);
  CHECK(json::parse(shallow.json)["point"]["stays"].get<bool>());
  CHECK_THAT(shallow.text, Catch::Contains("at 0.71 pu for 0.021 s: nothing leaves"));
}

TEST_CASE("a rule that does not apply is not judged unless forced; one without a ride-through part is refused") {
  auto o = forced("ercot_nogrr282");
  o.as_if = false;
  CHECK(json::parse(study::ride(tiny(), "tiny.toml", o).json)["verdict"] == "does not apply");
  CHECK_THROWS_AS(study::ride(tiny(), "tiny.toml", forced("power_stabilization_example")), InputError);
}

TEST_CASE("settings of one's own: each unit is played, and the answer has its picture", "[long]") {
  auto o = forced("ercot_nogrr282");
  o.settings = "ups_spread";
  o.voltage_pu = 0.85;  // the middle of the units' limits
  o.duration_s = 0.3;
  const auto half = study::ride(tiny(), "tiny.toml", o);
  const auto answer = json::parse(half.json);
  CHECK(answer["point"]["left_MW"].get<double>() == Approx(0.5 * answer["site_MW"].get<double>()));
  CHECK(half.svg.find("<svg") == 0);
  o.settings = "no_such_settings";
  CHECK_THROWS_AS(study::ride(tiny(), "tiny.toml", o), InputError);
  o = forced("ercot_nogrr282");
  o.as_if = false;
  CHECK(study::ride(tiny(), "tiny.toml", o).svg.empty());
}

TEST_CASE(
    "a sag of one phase needs the transformer, and behind delta-wye the load sees more voltage than the phase has") {
  auto o = forced("ercot_nogrr282");
  o.voltage_pu = 0.5;  // 0.76 pu behind delta-wye: ITIC servers stay for half a second
  o.duration_s = 0.3;
  o.n_phase = 1;
  CHECK_THROWS_AS(study::ride(tiny(), "tiny.toml", o), InputError);
  o.transformer = "delta_wye";
  const auto stays = study::ride(tiny(), "tiny.toml", o);
  CHECK(json::parse(stays.json)["point"]["stays"].get<bool>());
  CHECK_THAT(stays.text, Catch::Contains("on 1 of 3 phases behind delta_wye: nothing leaves"));
  // Every band below nominal is told for one and for two phases.
  const auto bands = json::parse(stays.json)["unbalanced"];
  CHECK(bands.size() == 14);
  CHECK(bands[0]["n_phase"] == 1);
  CHECK(bands[0]["verdict"] == "not judged");
  CHECK_THAT(stays.text, Catch::Contains("voltage, 2 of 3 phases, behind delta_wye:"));
  o.transformer = "wye_delta";
  CHECK_THROWS_AS(study::ride(tiny(), "tiny.toml", o), InputError);
  o.transformer = "wye_wye";
  CHECK_FALSE(json::parse(study::ride(tiny(), "tiny.toml", o).json)["point"]["stays"].get<bool>());
}
