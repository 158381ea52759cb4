#include "tidewatt/catalog/catalog.hpp"

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
