#include "study/frequency_study.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;
using nlohmann::json;

TEST_CASE("a loss of 6 GW: the reserve is asked, a stage opens, and both hold the frequency up") {
  FrequencyOptions o;
  o.step_W = 6e9;
  const auto bare = play_frequency(o);
  o.reserves = "three_stages";
  const auto held = play_frequency(o);
  const auto a = json::parse(frequency_json(bare)), b = json::parse(frequency_json(held));
  CHECK(a["extremum_mHz"].get<double>() < -700.0);
  CHECK(b["extremum_mHz"].get<double>() > a["extremum_mHz"].get<double>());
  CHECK(b["fast_from_s"].get<double>() > 0.0);
  CHECK(b["stages"].size() == 3);
  CHECK(b["stages"][0]["open_s"].get<double>() > b["fast_from_s"].get<double>());
  CHECK(frequency_text(held).find("stage at 59.3 Hz, 4500 MW: opens after") != std::string::npos);
  const std::string csv = frequency_csv(held);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 6001);
}

TEST_CASE("options that do not belong together are findings, all at once") {
  FrequencyOptions o;
  o.at_s = 100.0;
  try {
    play_frequency(o);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 2);
  }
  o = {};
  o.step_W = 1e9;
  o.reserves = "three_stage";
  CHECK_THROWS_WITH(play_frequency(o), Catch::Contains("three_stages"));
}
