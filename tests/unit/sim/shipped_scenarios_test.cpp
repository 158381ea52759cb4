#include "sim/shipped_scenarios.hpp"

#include <algorithm>

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
