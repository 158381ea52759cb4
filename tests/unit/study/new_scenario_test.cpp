#include "tidewatt/study/new_scenario.hpp"

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;

TEST_CASE("a new scenario runs as it is written, for any of the usual sizes") {
  const StudyCase c;
  for (const std::int64_t n_gpu : {32, 128, 1024}) {
    study::NewScenario o;
    o.n_gpu = n_gpu;
    o.duration_h = 0.02;
    c.write("new.toml", study::new_scenario(o));
    const auto scenario = sim::load_scenario(c.path("new.toml"));
    CHECK(scenario.notes.empty());
    CHECK(sim::run(scenario, {1, {}}).summary.size() > 10);
  }
}

TEST_CASE("every key of its sections is there, with its meaning, and optional ones can be switched on as they stand") {
  const StudyCase c;
  const std::string text = study::new_scenario();
  for (const auto& f : list_fields(sim::RunParams{})) {
    INFO(f.key);
    CHECK(text.find("# " + f.doc) != std::string::npos);
    CHECK((text.find("\n" + f.key + " = ") != std::string::npos || text.find("\n# " + f.key + " = ") != std::string::npos));
  }
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    const bool empty_word = line.ends_with("= \"\"") || line.ends_with("= []");
    if (line.starts_with("# ") && line.find(" = ") != std::string::npos && line.find(' ', 2) == line.find(" = ") && !empty_word) line = line.substr(2);
    all += line + "\n";
    at = end + 1;
  }
  c.write("all.toml", all);
  CHECK_NOTHROW(sim::load_scenario(c.path("all.toml")));
}

TEST_CASE("sizes that do not fit the plan are refused") {
  study::NewScenario o;
  o.n_gpu = 100;
  CHECK_THROWS_AS(study::new_scenario(o), InputError);
}
