#include "study/scenario_tree.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {
const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios";
}  // namespace

TEST_CASE("a scenario's tree is the same from its file, by its shipped name from any folder, and from its text") {
  const auto file = study::whole_tree(folder + "/llama3_405b_transients.toml");
  REQUIRE(file.find("record") != nullptr);
  CHECK(file.find("base") == nullptr);  // inherited keys are in it
  REQUIRE(file.find("hall") != nullptr);
  const auto shipped = study::whole_tree("llama3_405b_transients");
  CHECK(shipped.find("hall")->text() == file.find("hall")->text());
  CHECK(shipped.find("record")->text() == file.find("record")->text());
  const auto text =
      study::whole_tree("base = \"llama3_405b_transients\"\n[run]\nseed = 5\n", "mine.toml", "no_such_folder");
  CHECK(text.find("hall")->text() == file.find("hall")->text());
  CHECK_THROWS_AS(study::whole_tree("no_such_scenario"), InputError);
}
