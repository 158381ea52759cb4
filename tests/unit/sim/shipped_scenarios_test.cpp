#include "sim/shipped_scenarios.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/sim/scenario.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

TEST_CASE("shipped scenarios are found by name, with and without their ending") {
  const auto names = shipped_scenarios();
  CHECK(std::find(names.begin(), names.end(), "llama3_405b_day") != names.end());
  CHECK(std::none_of(names.begin(), names.end(), [](const auto& n) { return n.find('/') != std::string::npos; }));
  CHECK(shipped_scenario("llama3_405b_day") == shipped_scenario("llama3_405b_day.toml"));
  CHECK_FALSE(shipped_scenario("no_such"));
  CHECK(scenario_text("llama3_405b_day") == shipped_scenario("llama3_405b_day"));
  CHECK_THROWS_WITH(scenario_text("llama3_405b_dya"), Catch::Contains("did you mean 'llama3_405b_day'?"));
}

TEST_CASE("a scenario anywhere inherits from a shipped one by its name") {
  const auto root = parse_toml("base = \"llama3_405b_transients\"\n[run]\nseed = 5\n", "mine.toml");
  const auto s = read_scenario(root, "no_such_folder");
  CHECK(s.run.seed == 5);
  REQUIRE(s.windows.size() == 1);
  CHECK(s.windows.front().duration_s == 600);
  CHECK(s.halls.front().hall.n_gpu == 16384);
  const auto wrong = parse_toml("base = \"llama3_405b_dya\"\n", "mine.toml");
  CHECK_THROWS_WITH(read_scenario(wrong, "no_such_folder"), Catch::Contains("did you mean 'llama3_405b_day'?"));
}

TEST_CASE("a result where a scenario belongs is named as one, and a scenario of a newer version as that") {
  const auto folder = std::filesystem::temp_directory_path() / "tidewatt_shipped_scenarios_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "day.h5", std::ios::binary) << "\x89HDF\r\n\x1a\n" << std::string(64, '\0');
  std::ofstream(folder / "newer.toml") << "schema = 9\nno_such_key = 1\n";
  const std::string result = (folder / "day.h5").string();
  CHECK_THROWS_WITH(load_scenario(result), Catch::Contains("day.h5: is a result"));
  CHECK_THROWS_WITH(parse_toml_file(result), Catch::Contains("is a result"));
  for (const char* base : {"day.h5", "newer.toml"}) {
    const auto heir = parse_toml(std::string("schema = 1\nbase = \"") + base + "\"\n", "mine.toml");
    CHECK_THROWS_WITH(read_scenario(heir, folder.string()),
                      Catch::Contains(base == std::string("day.h5") ? "is a result" : "written by a newer tidewatt"));
  }
  try {
    load_scenario((folder / "newer.toml").string());
    FAIL("accepted");
  } catch (const InputError& e) {
    REQUIRE(e.findings().size() == 1);  // the unknown key of a newer format is no mistake
    CHECK(e.findings().front().key == "schema");
    CHECK(e.findings().front().place.line == 1);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a hall beyond every plan is a finding for the job that takes all of it, and never none") {
  const auto of = [](const char* n_gpu) {
    return std::string("[[hall]]\ngpu = \"h100_sxm_700W\"\nn_gpu = ") + n_gpu +
           "\n[[job]]\nmodel = \"llama3_8b\"\n[job.plan]\nn_gpu = \"all\"\ntp = 8\npp = 1\n";
  };
  for (const char* n_gpu : {"1000000000000000", "2000000000000000", "0", "-8", "8.5"}) {
    INFO(n_gpu);
    try {
      load_scenario_text(of(n_gpu), "huge.toml", ".");
      FAIL("accepted");
    } catch (const InputError& e) {
      REQUIRE_FALSE(e.findings().empty());
      CHECK_THAT(e.findings().front().key, Catch::EndsWith("n_gpu"));
      CHECK_THAT(e.findings().front().message, Catch::Contains(n_gpu));
    }
  }
}
