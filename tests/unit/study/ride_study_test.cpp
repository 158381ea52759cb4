#include "tidewatt/study/ride_study.hpp"

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
