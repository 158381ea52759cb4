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
  const auto text =
      refusal({"hall.a.gpu.power.tdp_kW=0.7", "hall.a.n_gpus=3", "job.main.plan.tp=-1", "weather.day=warm"});
  CHECK_THAT(text, Catch::Contains("wrong unit suffix: this key is written 'tdp_W'"));
  CHECK_THAT(text, Catch::Contains("did you mean 'n_gpu'"));
  CHECK_THAT(text, Catch::Contains("job.main.plan.tp: -1 is outside"));
  CHECK_THAT(text, Catch::Contains("weather.day: \"warm\" is not one of: dated, typical, hot"));
}

TEST_CASE("impossible fleets and plans are refused with their numbers") {
  CHECK_THAT(refusal({"job.main.plan.pp=7"}), Catch::Contains("job.main.plan"));
  CHECK_THAT(refusal({"hall.a.n_gpu=8192"}), Catch::Contains("16384 GPUs, but the halls hold 8192"));
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1000000000"};
  CHECK_THROWS_AS(load_scenario(day, o), RefusedError);
}

TEST_CASE("paths named inside a scenario stay below its folder") {
  CHECK_THAT(refusal({"weather.epw=\"/etc/passwd\"", "weather.climate=\"\""}),
             Catch::Contains("below the scenario's folder"));
  CHECK_THAT(refusal({"weather.epw=\"../x.epw\"", "weather.climate=\"\""}),
             Catch::Contains("below the scenario's folder"));
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

TEST_CASE("measured weather as CSV: from the run's own hour, all findings at once, paths below the scenario",
          "[weather]") {
  const WeatherFile w;
  const std::string csv = "weather.csv=\"weather.csv\"", none = "weather.climate=\"\"";
  CHECK(w.refusal({csv, none, "weather.day=\"dated\""}) == "accepted");
  CHECK_THAT(w.refusal({csv, none}), Catch::Contains("'hot' is for climates; a file has dated"));
  CHECK_THAT(w.refusal({csv}),
             Catch::Contains("name one of an EPW file (epw), a CSV file (csv) and a catalog climate (climate)"));
  CHECK_THAT(w.refusal({"weather.csv=\"../scenarios/weather.csv\"", none}),
             Catch::Contains("below the scenario's folder"));
  const auto broken = w.refusal({"weather.csv=\"weather_broken.csv\"", none, "weather.day=\"dated\""});
  CHECK_THAT(broken, Catch::Contains("weather_broken.csv:3") && Catch::Contains("weather_broken.csv:4"));
  CHECK_THAT(w.refusal({csv, none, "weather.day=\"dated\"", "run.start=\"2025-01-01T00:00:00\""}),
             Catch::Contains("the file reaches from"));
  CHECK_THAT(w.refusal({csv, none, "weather.day=\"dated\"", "run.duration_h=20"}), Catch::Contains("covers"));
}

namespace {

Scenario of(const std::string& text) { return read_scenario(parse_toml(text, "short.toml"), "."); }

const std::string short_one = R"(
[[hall]]
n_gpu = 256
gpu = "h100_sxm_700W"
[[job]]
model = "llama3_8b"
[job.plan]
tp = 8
pp = 1
)";

std::string value_of(const Scenario& s, const std::string& key) {
  for (const auto& d : s.defaults)
    if (d.key == key) return d.value;
  return "";
}

}  // namespace

TEST_CASE("a scenario of hall, GPU, model and plan is whole; each default is listed with its source") {
  const auto s = of(short_one);
  CHECK(s.run.duration_s == 86400.0);
  CHECK(value_of(s, "site.feeder") == "\"hall_480V\"");
  CHECK(value_of(s, "hall.a.server") == "\"grand_teton_h100\"");
  CHECK(value_of(s, "hall.a.plant") == "\"outside_air_evaporative\"");
  CHECK(value_of(s, "job.main.network") == "\"llama3_roce\"");
  CHECK(value_of(s, "job.main.life.detect_s") == "120");
  for (const auto& d : s.defaults) CHECK_FALSE(d.source.empty());
  // What a default of a job's life assumes is on the trust list, as if the scenario named it.
  CHECK(std::any_of(s.assumed.begin(), s.assumed.end(), [](const auto& a) {
    return a.key == "job.main.life.detect_s" && a.low < a.value && a.value < a.high;
  }));
}

TEST_CASE("what a scenario gives is never replaced by a default") {
  const auto s =
      of(short_one +
         "[job.life]\ndetect_s = 7\n[weather]\nclimate = \"phoenix_az\"\n[grid]\ncatalog = \"eastern_like_500GVA\"\n");
  CHECK(s.jobs.front().life.detect_s == 7.0);
  CHECK(s.weather.climate == "phoenix_az");
  CHECK(value_of(s, "job.main.life.detect_s").empty());
  CHECK(value_of(s, "weather.climate").empty());
  CHECK(value_of(s, "grid.catalog").empty());
  CHECK(load_scenario(day).defaults.empty());
}

TEST_CASE("one number scales a job: the GPUs of its halls, with the batch per replica") {
  const std::string scaled = short_one + "n_gpu = \"all\"\nreplica_batch_sequences = 6\n";
  const auto s = of(scaled);
  CHECK(s.jobs.front().plan.n_gpu == 256);
  CHECK(s.jobs.front().plan.global_batch_sequences == 6 * 32);
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024"};
  const auto larger = read_scenario(parse_toml(scaled, "short.toml"), ".", o);
  CHECK(larger.jobs.front().plan.n_gpu == 1024);
  CHECK(larger.jobs.front().plan.micro_batches() == s.jobs.front().plan.micro_batches());
  CHECK_THROWS_WITH(of(scaled + "global_batch_sequences = 8\n"), Catch::Contains("give the batch once"));
}

TEST_CASE("a server does not hold parts of several pipeline stages") {
  CHECK_THROWS_WITH(of("[[hall]]\nn_gpu = 256\ngpu = \"h100_sxm_700W\"\n[[job]]\nmodel = \"llama3_8b\"\n[job.plan]\ntp "
                       "= 1\npp = 4\nrank_order = \"tp-cp-pp-dp\"\n"),
                    Catch::Contains("several pipeline stages"));
}

namespace {

/// Ten lines of a hall and a job, with one of them changed.
std::string short_refusal(const std::string& gpu, const std::string& more = "") {
  try {
    load_scenario_text("schema = 1\n[[hall]]\ngpu = \"" + gpu + "\"\nn_gpu = 1024\n" + more +
                           "[[job]]\nmodel = \"llama3_8b\"\n[job.plan]\nn_gpu = \"all\"\ntp = 8\npp = 1\n",
                       "x.toml", ".");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a misspelt GPU is one finding, without the defaults that hang on it") {
  CHECK(short_refusal("h100_sxm_700W").empty());
  const auto text = short_refusal("h100_sxm_700");
  CHECK_THAT(text, Catch::Contains("1 finding") && Catch::Contains("did you mean 'h100_sxm_700W'"));
  CHECK_THAT(short_refusal("h100_sxm_700", "plant = \"no_such\"\n"),
             Catch::Contains("2 findings") && Catch::Contains("no_such"));
  CHECK_THAT(short_refusal("h100_sxm_700W", "server = \"dgx\"\n"), Catch::Contains("1 finding"));
}

TEST_CASE("overrides: a broken one hides no other") {
  CHECK_THAT(refusal({"foo", "run.seeed=4", "hall.a.n_gpu.x.y=3"}), Catch::Contains("3 findings"));
}

TEST_CASE("a misspelt shipped scenario gets the nearest name") {
  CHECK_THROWS_WITH(load_scenario("llama3_405b_dya"), Catch::Contains("did you mean 'llama3_405b_day'?"));
}
