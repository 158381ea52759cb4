#include "tidewatt/sim/scenario.hpp"

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::string day = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml";

std::string refusal(std::vector<std::string> set) {
  LoadOptions o;
  o.set = std::move(set);
  try {
    load_scenario(day, o);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the day scenario reads, inherits and lists what it assumes") {
  const auto s = load_scenario(day);
  CHECK(s.halls.front().hall.n_gpu == 16384);
  CHECK(s.jobs.front().plan.dp() == 128);
  CHECK(s.assumed.size() > 50);
  const auto t = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_transients.toml");
  CHECK(t.run.advance == "resolved");
  CHECK(t.halls.size() == 1);
  REQUIRE(t.windows.size() == 1);
  CHECK(t.windows.front().duration_s == 600);
}

TEST_CASE("an override changes one value and nothing else") {
  LoadOptions o;
  o.set = {"hall.a.gpu.power.leakage_W=90", "job.main.plan.n_gpu=8192"};
  const auto s = load_scenario(day, o);
  const auto base = load_scenario(day);
  CHECK(s.halls.front().gpu.leakage_W == 90);
  CHECK(s.halls.front().gpu.dynamic_W == base.halls.front().gpu.dynamic_W);
  CHECK(s.jobs.front().plan.dp() == 64);
  CHECK(s.assumed.size() == base.assumed.size() - 1);
}

TEST_CASE("everything wrong is said at once") {
  const auto text = refusal({"hall.a.gpu.power.tdp_kW=0.7", "hall.a.n_gpus=3", "job.main.plan.tp=-1", "run.advance=fast"});
  CHECK_THAT(text, Catch::Contains("wrong unit suffix: this key is written 'tdp_W'"));
  CHECK_THAT(text, Catch::Contains("did you mean 'n_gpu'"));
  CHECK_THAT(text, Catch::Contains("job.main.plan.tp: -1 is outside"));
  CHECK_THAT(text, Catch::Contains("did you mean") || Catch::Contains("is not one of: periodic, resolved"));
}

TEST_CASE("impossible fleets and plans are refused with their numbers") {
  CHECK_THAT(refusal({"job.main.plan.pp=7"}), Catch::Contains("job.main.plan"));
  CHECK_THAT(refusal({"hall.a.n_gpu=8192"}), Catch::Contains("16384 GPUs, but the halls hold 8192"));
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1000000000"};
  CHECK_THROWS_AS(load_scenario(day, o), RefusedError);
}

TEST_CASE("paths named inside a scenario stay below its folder") {
  CHECK_THAT(refusal({"weather.epw=\"/etc/passwd\"", "weather.climate=\"\""}), Catch::Contains("below the scenario's folder"));
  CHECK_THAT(refusal({"weather.epw=\"../x.epw\"", "weather.climate=\"\""}), Catch::Contains("below the scenario's folder"));
}

namespace {

/// What the small scenario says with other weather.
struct WeatherFile {
  std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  std::string refusal(std::vector<std::string> set) const {
    LoadOptions o;
    o.set = std::move(set);
    try {
      load_scenario(folder + "/tiny.toml", o);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
};

}  // namespace

TEST_CASE("measured weather as CSV: from the run's own hour, all findings at once, paths below the scenario", "[weather]") {
  const WeatherFile w;
  const std::string csv = "weather.csv=\"weather.csv\"", none = "weather.climate=\"\"";
  CHECK(w.refusal({csv, none, "weather.day=\"dated\""}) == "accepted");
  CHECK_THAT(w.refusal({csv, none}), Catch::Contains("'hot' is not for CSV files"));
  CHECK_THAT(w.refusal({csv}), Catch::Contains("name one of an EPW file (epw), a CSV file (csv) and a catalog climate (climate)"));
  CHECK_THAT(w.refusal({"weather.csv=\"../scenarios/weather.csv\"", none}), Catch::Contains("below the scenario's folder"));
  const auto broken = w.refusal({"weather.csv=\"weather_broken.csv\"", none, "weather.day=\"dated\""});
  CHECK_THAT(broken, Catch::Contains("weather_broken.csv:3") && Catch::Contains("weather_broken.csv:4"));
  CHECK_THAT(w.refusal({csv, none, "weather.day=\"dated\"", "run.start=\"2025-01-01T00:00:00\""}), Catch::Contains("the file reaches from"));
  CHECK_THAT(w.refusal({csv, none, "weather.day=\"dated\"", "run.duration_h=20"}), Catch::Contains("covers"));
}
