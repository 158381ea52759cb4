#include "tidewatt/catalog/catalog.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("an override wins over the entry and is no longer an assumed input") {
  const catalog::Catalog catalog;
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  const Node spec = parse_toml("catalog = 'h100_sxm_700W'\n[power]\nleakage_W = 90\n", "f.toml");
  const Node gpu = catalog.resolve(spec, "gpu", "hall.a.gpu", findings, assumed);
  CHECK(findings.empty());
  CHECK(std::get<std::int64_t>(gpu.find("power")->find("leakage_W")->value) == 90);
  CHECK(gpu.find("power")->find("tdp_W") != nullptr);
  CHECK(gpu.find("sources") == nullptr);
  CHECK_FALSE(assumed.empty());
  for (const auto& a : assumed) {
    CHECK(a.key != "hall.a.gpu.power.leakage_W");
    CHECK(a.low <= a.value);
    CHECK(a.value <= a.high);
    CHECK_FALSE(a.source.empty());
  }
}

TEST_CASE("assumed values in tables and lists of an entry are listed, with range and source") {
  const catalog::Catalog catalog;
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  const Node spec = parse_toml("catalog = 'ups_spread'\n[group.servers]\nreturn_s = 8\n", "f.toml");
  catalog.resolve(spec, "load_settings", "site.load_settings", findings, assumed);
  CHECK(findings.empty());
  const auto find = [&](const std::string& key) {
    return std::find_if(assumed.begin(), assumed.end(),
                        [&](const auto& a) { return a.key == "site.load_settings." + key; });
  };
  const auto low = find("group.drives.low_pu[0]");
  REQUIRE(low != assumed.end());
  CHECK(low->value == 0.8);
  CHECK(low->low == 0.5);
  CHECK(low->high == 0.96);
  CHECK_THAT(low->source, Catch::Contains("drives leave"));
  REQUIRE(find("group.servers.ramp_s") != assumed.end());
  CHECK(find("group.servers.return_s") == assumed.end());  // stated
  CHECK(assumed.size() == 14);
}

TEST_CASE("each built-in entry is in catalog/KIND/NAME.toml") {
  const catalog::Catalog catalog;
  const auto keys = catalog.list();
  CHECK(keys.size() > 100);
  for (const auto& [kind, name] : keys) {
    const Node entry = parse_toml(catalog.text(kind, name), name);
    CHECK(std::get<std::string>(entry.find("kind")->value) == kind);
    CHECK(std::get<std::string>(entry.find("name")->value) == name);
    CHECK_FALSE(catalog.values(kind, name).is_text());  // its table of assumed values is right
  }
}

TEST_CASE("an unknown name is a finding with the nearest known one") {
  const catalog::Catalog catalog;
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  catalog.resolve(Node{std::string("h100_sxm_700"), {"f.toml", 3, 1}}, "gpu", "hall.a.gpu", findings, assumed);
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].text(), Catch::Contains("f.toml:3:1") && Catch::Contains("did you mean 'h100_sxm_700W'"));
}

TEST_CASE("a user's folder adds to and replaces entries") {
  const auto folder = std::filesystem::temp_directory_path() / "tidewatt_catalog_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.toml") << "schema = 1\nkind = 'grid'\nname = 'mine'\nx = 1\n";
  std::ofstream(folder / "other.toml") << "schema = 1\nkind = 'gpu'\nname = 'h100_sxm_700W'\nx = 2\n";
  const catalog::Catalog catalog(folder.string());
  CHECK(catalog.has("grid", "mine"));
  CHECK(catalog.values("gpu", "h100_sxm_700W").find("x") != nullptr);
  CHECK(catalog.has("gpu", "h100_sxm_700W"));
  std::filesystem::remove_all(folder);
}

namespace {

/// What a folder with these files is refused with.
std::string refusal(const std::vector<std::pair<std::string, std::string>>& files) {
  const auto folder = std::filesystem::temp_directory_path() / "tidewatt_catalog_refusals";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
  std::string out = "accepted";
  try {
    const catalog::Catalog catalog(folder.string());
  } catch (const InputError& e) {
    out = e.what();
  }
  std::filesystem::remove_all(folder);
  return out;
}

}  // namespace

TEST_CASE("a user's folder without an entry is refused, and so is everything wrong in it, at once") {
  CHECK_THAT(refusal({}), Catch::Contains("tidewatt_catalog_refusals: the catalog folder holds no entry"));
  CHECK_THAT(refusal({{"readme.txt", "kind = 'grid'\n"}}), Catch::Contains("holds no entry"));
  const auto text = refusal({{"a.toml", "kind = 'grid'\nx = 1\n"},
                             {"b.toml", "kind = 'grid'\nname = '../b'\n"},
                             {"c.toml", "kind = 'grid'\nname = 'c'\n[assumed]\nx = []\n"},
                             {"d.toml", "kind = 'grid'\nname = 'd'\nassumed = 3\n"},
                             {"e.toml", "kind = \n"},
                             {"f.toml", "name = 'f'\nkind = 'grid'\n"},
                             {"g.toml", "kind = 'grid'\nname = 'f'\n"}});
  CHECK_THAT(text, Catch::Contains("6 findings") && Catch::Contains("a.toml:1:1: name: missing") &&
                       Catch::Contains("b.toml:2:1: name: \"../b\" is not a name"));
  CHECK_THAT(text, Catch::Contains("c.toml:4:5: assumed.x: expected a range") &&
                       Catch::Contains("d.toml:3:1: assumed: expected a table") && Catch::Contains("e.toml:1:"));
  CHECK_THAT(text, Catch::Contains("g.toml:2:1: name: ") && Catch::Contains("f.toml has a grid of this name already"));
}

TEST_CASE("words that an entry assumes are listed as words, and a mixed list is refused") {
  const auto folder = std::filesystem::temp_directory_path() / "tidewatt_catalog_words";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "w.toml") << "kind = 'job'\nname = 'w'\nstop = 'soft'\nn = 2\n[sources]\nstop = 'a test'\n"
                                      "[assumed]\nstop = ['at_once', 'soft']\nn = [1, 3]\n";
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  catalog::Catalog(folder.string()).resolve(Node{std::string("w"), {}}, "job", "job.a.life", findings, assumed);
  std::filesystem::remove_all(folder);
  REQUIRE(findings.empty());
  REQUIRE(assumed.size() == 2);
  const auto &number = assumed[0], &word = assumed[1];  // keys of a table are sorted
  CHECK(number.key == "job.a.life.n");
  CHECK(number.words.empty());
  CHECK(number.choices() == "1 to 3");
  CHECK(word.key == "job.a.life.stop");
  CHECK(word.words == std::vector<std::string>{"at_once", "soft"});
  CHECK(word.choices() == "at_once or soft");
  CHECK(word.source == "a test");
  CHECK_THAT(refusal({{"m.toml", "kind = 'grid'\nname = 'm'\nx = 1\n[assumed]\nx = ['a', 1]\n"}}),
             Catch::Contains("assumed.x: expected a range of numbers, [low, high], or a list of words"));
}

TEST_CASE("values and words of an assumed input in print") {
  const catalog::AssumedInput number{"a.b_W", 3.5, 1, 6, "", {}, {}}, counts{"a.n", 4, 4, 16, "", {4, 8, 16}, {}},
      word{"a.c", 3, 0, 3, "", {0, 1, 3}, {"none", "selective", "full"}};
  CHECK(number.text(number.value) == "3.5");
  CHECK(number.choices() == "1 to 6");
  CHECK(counts.choices() == "4, 8 or 16");
  CHECK(word.text(word.value) == "full");
  CHECK(word.choices() == "none, selective or full");
}
