#include "study/scenario_schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace tidewatt;
using nlohmann::json;

TEST_CASE("the schema has every key of the reference with its range, and refuses others") {
  const auto reference = study::scenario_reference();
  const auto schema = json::parse(study::scenario_schema(reference));
  CHECK(schema["additionalProperties"] == false);
  const auto& run = schema["properties"]["run"];
  CHECK(run["additionalProperties"] == false);
  for (const auto& k : reference.find("run")->keys) CHECK(run["properties"].contains(k.field.info.key));
  CHECK(run["properties"]["macro_step_s"]["minimum"] == 1);
  CHECK(run["properties"]["spread"]["type"] == "boolean");
  const auto& hall = schema["properties"]["hall"]["items"]["properties"];
  CHECK(hall["gpu"]["anyOf"].size() == 2);
  CHECK(hall["gpu"]["anyOf"][1]["properties"].contains("catalog"));
}

TEST_CASE("pages hold every table once, an example of each event, and no open cell") {
  const auto reference = study::scenario_reference();
  const auto pages = study::scenario_pages(reference);
  CHECK(pages.front().first == "index.md");
  std::string all;
  for (const auto& [name, text] : pages) all += text;
  for (const auto& t : reference.tables) {
    INFO(t.header());
    const std::string heading = "\n## `" + t.header() + "`\n";
    const auto at = all.find(heading);
    REQUIRE(at != std::string::npos);
    CHECK(all.find(heading, at + 1) == std::string::npos);
  }
  for (const auto& kind : reference.find("event.*")->kinds())
    CHECK(all.find("\n### `" + kind + "`\n") != std::string::npos);
}
