#include "study/new_scenario.hpp"

#include <tuple>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "workload/iteration.hpp"

using namespace tidewatt;

TEST_CASE("a new scenario runs as it is written, for any of the usual sizes") {
  const StudyCase c;
  for (const std::int64_t n_gpu : {64, 128, 1024}) {
    study::NewScenario o;
    o.n_gpu = n_gpu;
    o.duration_h = 0.02;
    c.write("new.toml", study::new_scenario(o));
    const auto scenario = sim::load_scenario(c.path("new.toml"));
    CHECK(scenario.notes.empty());
    CHECK(sim::run(scenario, {1, {}}).summary.size() > 10);
  }
}

TEST_CASE("the six keys that a user changes come first, each once") {
  const std::string text = study::new_scenario();
  std::size_t before = 0;
  for (const char* key : {"start", "duration_h", "climate", "n_gpu", "gpu", "model"}) {
    INFO(key);
    const auto at = text.find("\n" + std::string(key) + " = ");
    REQUIRE(at != std::string::npos);
    CHECK(at > before);
    before = at;
  }
  CHECK(before < text.find("Chosen to fit"));
}

TEST_CASE("every key of its sections is there, with its meaning, and optional ones can be switched on as they stand") {
  const StudyCase c;
  const std::string text = study::new_scenario();
  const auto explained = [&](const std::vector<FieldInfo>& fields) {
    for (const auto& f : fields) {
      INFO(f.key);
      if (f.key == "name") continue;  // a and main need no words
      CHECK(text.find("# " + f.doc) != std::string::npos);
      CHECK((text.find("\n" + f.key + " = ") != std::string::npos ||
             text.find("# " + f.key + " = ") != std::string::npos ||
             text.find("#   " + f.key + " = ") != std::string::npos || f.key == "global_batch_sequences"));
    }
  };
  explained(list_fields(sim::RunParams{}));
  explained(list_fields(sim::HallParams{}));
  explained(list_fields(workload::JobParams{}));
  explained(list_fields(workload::ParallelPlan{}));
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    const bool empty_word = line.ends_with("= \"\"") || line.ends_with("= []");
    if (line.starts_with("# ") && line.find(" = ") != std::string::npos && line.find(' ', 2) == line.find(" = ") &&
        !empty_word)
      line = line.substr(2);
    all += line + "\n";
    at = end + 1;
  }
  c.write("all.toml", all);
  CHECK_NOTHROW(sim::load_scenario(c.path("all.toml")));
}

TEST_CASE("what is left open is chosen to fit, and said") {
  study::NewScenario o;
  o.server = "hgx_h200_liquid";
  const auto made = study::write_scenario(o);
  CHECK(made.text.find("gpu = \"h200_sxm_700W_liquid\"") != std::string::npos);
  CHECK(made.text.find("catalog = \"cdu_dry_cooler\"") != std::string::npos);
  CHECK(made.choices.size() >= 5);
  o = {};
  o.model = "llama3_405b";
  const auto large = sim::read_scenario(parse_toml(study::new_scenario(o), "new.toml"), ".");
  const auto& plan = large.jobs.front().plan;
  CHECK(static_cast<double>(plan.tp * plan.pp) * 80e9 >
        2.0 * 405e9);  // weights of two bytes in the memory of one replica
  CHECK(large.notes.empty());
}

TEST_CASE("a rack brings its GPU, trays, network, and a feeder and plant that take it") {
  const StudyCase c;
  for (const auto& [rack, n_gpu, per_rack] : {std::tuple{"gb200_nvl72", 72, 18}, std::tuple{"gb200_nvl36x2", 72, 9},
                                              std::tuple{"rubin_ultra_kyber", 144, 36}}) {
    INFO(rack);
    study::NewScenario o;
    o.rack = rack;
    o.duration_h = 0.02;
    c.write("rack.toml", study::new_scenario(o));
    const auto scenario = sim::load_scenario(c.path("rack.toml"));
    const auto& hall = scenario.halls.front();
    CHECK(hall.hall.n_gpu % n_gpu == 0);
    CHECK(hall.hall.servers_per_rack * hall.server.n_gpu * (std::string(rack) == "gb200_nvl36x2" ? 2 : 1) == n_gpu);
    CHECK(hall.hall.servers_per_rack == per_rack);
    REQUIRE(hall.rack);
    CHECK(hall.rack->name == rack);
    CHECK(scenario.jobs.front().network.domain_gpus() == n_gpu);
    CHECK(sim::run(scenario, {1, {}}).summary.size() > 10);
  }
}

TEST_CASE("what contradicts a rack is refused, every finding at once") {
  study::NewScenario o;
  o.rack = "gb200_nvl72";
  o.plant = "crah_chilled_water";
  o.feeder = "hall_480V";
  CHECK_THROWS_WITH(study::new_scenario(o),
                    Catch::Contains("needs a liquid loop") && Catch::Contains("hall_480V_liquid_rack"));
  o = {};
  o.rack = "gb200_nvl72";
  o.n_gpu = 128;
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("whole number of scale-up domains of 72"));
  o = {};
  o.rack = "gb200_nvl27";
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("did you mean 'gb200_nvl72'?"));
}

TEST_CASE("sizes that do not fit are refused with the size that does") {
  study::NewScenario o;
  o.n_gpu = 100;
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("whole number of servers"));
  o.n_gpu = 8;
  o.model = "llama3_405b";
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("no plan of 8 GPUs holds llama3_405b"));
  o = {};
  o.gpu = "h100_sxm_70W";
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("did you mean 'h100_sxm_700W'?"));
}

TEST_CASE("a new plan is at least as fast as the published one for the same model and fleet") {
  study::NewScenario o;
  o.model = "llama3_405b";
  o.n_gpu = 16384;
  const auto tokens_per_s = [](const sim::Scenario& s) {
    const auto& job = s.jobs.front();
    const double pace = 1.0;
    const workload::IterationModel model(job.model, job.plan, s.halls.front().compute, job.network);
    return model.tokens_per_iteration() / seconds(model.iteration({&pace, 1}).period);
  };
  const auto made = sim::read_scenario(parse_toml(study::new_scenario(o), "new.toml"), ".");
  CHECK(tokens_per_s(made) >= tokens_per_s(sim::load_scenario("llama3_405b_day")));
}

TEST_CASE("racks are counted whole, bring their storage and number format, and no choice of new is noted") {
  for (const auto& [rack, model, format] :
       {std::tuple{"gb300_nvl72", "deepseek_v3_like", "mxfp8"}, std::tuple{"gb300_nvl72", "llama3_405b", "nvfp4"},
        std::tuple{"gb200_nvl72", "llama3_8b", "fp8"}, std::tuple{"rubin_ultra_kyber", "llama3_8b", "nvfp4"}}) {
    INFO(rack << " " << model);
    study::NewScenario o;
    o.rack = rack;
    o.model = model;
    o.n_rack = 24;
    const auto s = sim::read_scenario(parse_toml(study::new_scenario(o), "new.toml"), ".");
    CHECK(s.halls.front().hall.n_gpu == 24 * s.halls.front().rack->power.n_gpu());
    CHECK(s.jobs.front().plan.precision == format);
    CHECK(s.notes.empty());
    CHECK(s.jobs.front().life.checkpoint_interval_s > 0.0);
    const double own_J = s.halls.front().rack->power.storage_J;
    REQUIRE(s.devices.rack_storage.has_value() == (own_J > 0.0));
    if (own_J > 0.0) CHECK(s.devices.rack_storage->store.energy_J == Approx(own_J));
  }
  study::NewScenario servers;
  servers.n_rack = 4;  // of two servers
  CHECK(sim::read_scenario(parse_toml(study::new_scenario(servers), "new.toml"), ".").halls.front().hall.n_gpu == 64);
}

TEST_CASE("warmer liquid has warmer facility water, and colder liquid none that is warmer than it can be") {
  const auto plant = [](double degC, const char* name) {
    study::NewScenario o;
    o.rack = "gb300_nvl72";
    o.plant = name;
    o.supply_degC = degC;
    return sim::read_scenario(parse_toml(study::new_scenario(o), "new.toml"), ".").halls.front().hydronic;
  };
  const auto warm = plant(40.0, "cdu_dry_cooler"), own = plant(36.0, "cdu_dry_cooler"),
             cold = plant(30.0, "cdu_dry_cooler");
  CHECK(warm.loop_set_K - 273.15 == Approx(40.0));
  CHECK(warm.facility_set_K == Approx(own.facility_set_K + 4.0));
  CHECK(cold.loop_set_K - cold.facility_set_K == Approx(4.5));
  CHECK(plant(44.0, "cdu_dry_cooler_45C").facility_set_K == plant(45.0, "cdu_dry_cooler_45C").facility_set_K);
}

TEST_CASE("every wrong name of a new scenario is told at once") {
  study::NewScenario o;
  o.climate = "frankfurt";
  o.model = "moe";
  o.n_rack = 1;
  o.n_gpu = 8;
  CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("'frankfurt'") && Catch::Contains("'moe'") &&
                                                Catch::Contains("give the size once"));
}

TEST_CASE("no number of GPUs is chosen; every number outside the range is a finding") {
  study::NewScenario o;
  CHECK_NOTHROW(study::new_scenario(o));
  for (const std::int64_t n_gpu : {std::int64_t{0}, std::int64_t{-8}, std::int64_t{1'000'000'000'000'000}}) {
    o.n_gpu = n_gpu;
    CHECK_THROWS_WITH(study::new_scenario(o), Catch::Contains("n_gpu: " + std::to_string(n_gpu) + " is outside 1 to"));
  }
}
