#include "study/scenario_reference.hpp"

#include <algorithm>
#include <set>

#include "base/embedded.hpp"
#include "catch.hpp"
#include "tidewatt/sim/scenario.hpp"

using namespace tidewatt;
using Kind = FieldEntry::Kind;

namespace {

bool is_structure(Kind kind) { return kind == Kind::table || kind == Kind::list || kind == Kind::entry; }

}  // namespace

TEST_CASE("the reference scenarios are good examples: each is accepted") {
  int n = 0;
  for (const auto& file : embedded::scenario_files()) {
    if (!file.path.starts_with("reference/")) continue;
    INFO(file.path);
    const Node root = parse_toml(std::string(file.text), std::string(file.path));
    CHECK_NOTHROW(sim::read_scenario(root, std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios"));
    ++n;
  }
  CHECK(n == 4);
}

TEST_CASE("every key of a scenario has a sentence, a unit, an example and a source") {
  const auto reference = study::scenario_reference();
  int n = 0;
  for (const auto& t : reference.tables) {
    INFO(t.header());
    CHECK(t.doc.size() >= 3);
    for (const auto& k : t.keys) {
      INFO(k.field.info.key);
      ++n;
      CHECK(k.field.info.doc.size() >= 3);
      CHECK(k.field.info.doc != "table");
      CHECK_FALSE(k.unit().empty());
      CHECK_FALSE(k.source.empty());
      if (!is_structure(k.field.kind)) CHECK_FALSE(k.example.empty());
      if (k.field.kind == Kind::number || k.field.kind == Kind::integer) CHECK_FALSE(k.range().empty());
    }
  }
  CHECK(n > 400);
}

TEST_CASE("no key of a number lacks a unit that its name could carry") {
  // Numbers without a unit at their end: dimensionless by nature, or in the unit of the key that an [[assumed]] names.
  const std::set<std::string> bare = {"soft_burn_activity", "low", "high"};
  for (const auto& t : study::scenario_reference().tables)
    for (const auto& k : t.keys)
      if (k.field.kind == Kind::number) {
        INFO(t.header() << " " << k.field.info.key);
        CHECK((k.unit() != "1" || bare.contains(k.field.info.key)));
      }
}

TEST_CASE("every table that a key announces is described") {
  const auto reference = study::scenario_reference();
  for (const auto& t : reference.tables)
    for (const auto& k : t.keys) {
      const std::string path = (t.path.empty() ? "" : t.path + ".") + k.field.info.key;
      INFO(path);
      // Parts of a rule set that are read by other commands.
      if (path == "site.rules.ride" || path == "site.rules.applies") continue;
      if (k.field.kind == Kind::table)
        CHECK((reference.find(path) != nullptr || reference.find(path + ".*") != nullptr));
      if (k.field.kind == Kind::list) CHECK(reference.find(path + ".*") != nullptr);
      // A layout is a [site] table of its own.
      if (k.field.kind == Kind::entry && path != "site.delivery") CHECK(reference.find(path) != nullptr);
    }
}

TEST_CASE("every kind of event, mitigation and neighbour has an example") {
  const auto reference = study::scenario_reference();
  for (const char* path : {"event.*", "mitigation.*", "site.neighbour.*"}) {
    const auto* t = reference.find(path);
    REQUIRE(t != nullptr);
    REQUIRE_FALSE(t->kinds().empty());
    for (const auto& kind : t->kinds()) {
      INFO(path << " " << kind);
      CHECK(std::any_of(reference.examples.begin(), reference.examples.end(),
                        [&](const auto& e) { return e.path == path && e.kind == kind; }));
    }
  }
}

TEST_CASE("the keys of a rule of one's own are listed below its set, by name") {
  const auto reference = study::scenario_reference();
  const auto* rule = reference.find("site.rules.rule.*");
  REQUIRE(rule != nullptr);
  CHECK(rule->header() == "[site.rules.rule.NAME]");
  for (const char* key : {"figure", "window_s", "limit_MW", "limit_MW_per_s", "limit_frac"}) {
    INFO(key);
    CHECK(std::any_of(rule->keys.begin(), rule->keys.end(), [&](const auto& k) { return k.field.info.key == key; }));
  }
}

TEST_CASE("a key that the program fills in says its default; one that it cannot is required") {
  const auto reference = study::scenario_reference();
  const auto key = [&](const char* table, const char* name) {
    const auto* t = reference.find(table);
    REQUIRE(t != nullptr);
    const auto at =
        std::find_if(t->keys.begin(), t->keys.end(), [&](const auto& k) { return k.field.info.key == name; });
    REQUIRE(at != t->keys.end());
    return *at;
  };
  CHECK(key("run", "duration_h").standard == "24");
  CHECK_FALSE(key("run", "duration_h").required);
  CHECK(key("hall.*", "n_gpu").required);
  CHECK(key("job.*.plan", "tp").required);
  CHECK(key("job.*.plan", "sharding").standard == "\"fsdp\"");
  CHECK(key("mitigation.*", "floor_ratio").kinds == std::vector<std::string>{"gpu_smoothing"});
  CHECK(key("hall.*.gpu.power", "tdp_W").source.starts_with("catalog gpu/"));
  CHECK(study::reference_text(reference, "plan.tp").find("tensor parallel ranks") != std::string::npos);
}
