#include "study/fit_entry.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/thermal/package.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("a fitted entry is a whole catalog file with its sources", "[study][fit_entry]") {
  const auto text = entry_from(catalog::Catalog().text("gpu", "h100_sxm_700W"), "ours",
                               {{"package.sink_air_K_per_W", 0.0251, 0.023, 0.027, "fitted to \"our\" node"},
                                {"power.leakage_W", 91, 85, 97, "fitted"}});
  const Node n = parse_toml(text, "ours.toml");
  std::vector<Finding> findings;
  TableReader r(*n.find("package"), "package", findings);
  thermal::PackageParams p;
  p.fields(r);
  r.finish();
  CHECK(findings.empty());
  CHECK(p.sink_air_K_per_W == 0.0251);
  CHECK(p.die_base_K_per_W == 0.012);  // what was not fitted stays
  CHECK(text.find("[60, 140]") == std::string::npos);
  CHECK(text.find("\"power.leakage_W\" = [85, 97]") != std::string::npos);
  CHECK(text.find("[D] fitted") != std::string::npos);
  CHECK_THROWS_AS(entry_from("schema = 1\nname = \"x\"\n", "y", {{"power.gone_W", 1, 0, 2, "z"}}), InputError);
}

TEST_CASE("an entry of its own", "[study][fit_entry]") {
  const Node n = parse_toml(entry_of("node_levels", "run", {{"train_W", 7100, 7050, 7150, "fitted"}}), "run.toml");
  CHECK(n.find("train_W") != nullptr);
  CHECK(n.find("sources")->find("train_W") != nullptr);
  CHECK(n.find("assumed")->find("train_W") != nullptr);
}
