#include "validate/mutation.hpp"

#include "catch.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/row_term.hpp"

using namespace tidewatt::validate;

namespace {

/// A row that follows the H100's limit, one that follows a term, and one that follows nothing.
std::vector<Row> rows(const Context&) {
  const auto gpu = catalog_in_use().values("gpu", "h100_sxm_700W");
  const double limit = static_cast<double>(std::get<std::int64_t>(gpu.find("power")->find("tdp_W")->value));
  return {against("P2", "", "W", 700.0, limit, 0.1, ""), against("G2", "", "s", 2.0, term("G2.x", 2.0), 0.1, ""),
          against("G1", "", "s", 2.0, 2.0, 0.1, ""), against("W1", "", "s", 2.0, 3.0, 0.1, "")};
}

std::vector<Mutation> of(const char* toml, double share = 1.0) {
  return mutated({{"some", {rows}}}, {}, read_declared_keys(toml), share);
}

}  // namespace

TEST_CASE("a row turns red when its main parameter changes by more than its tolerance allows") {
  const auto m =
      of("[a]\nP2 = \"gpu/h100_sxm_700W power.tdp_W 0.5\"\nG2 = \"term/G2 x 1.5\"\nG1 = \"gpu/h100_sxm_700W "
         "power.tdp_W 0.5\"\n");
  REQUIRE(m.size() == 3);  // W1 fails already
  CHECK(m[0].red);
  CHECK(m[0].elasticity == Approx(1.0));
  CHECK(m[0].moved == Approx(-0.5));
  CHECK(!m[1].red);  // G1: nothing moves it
  CHECK(m[1].id == "G1");
  CHECK(m[2].red);
}

TEST_CASE("a change within the tolerance leaves the row, and a row without a key survives with its reason") {
  const auto m = of("[a]\nP2 = \"gpu/h100_sxm_700W power.tdp_W 1.05\"\nG2 = \"none: typed in\"\n");
  for (const auto& x : m) CHECK(!x.red);
  CHECK(std::count_if(m.begin(), m.end(), [](const Mutation& x) { return x.why_not == "typed in"; }) == 1);
  CHECK(std::count_if(m.begin(), m.end(), [](const Mutation& x) { return x.why_not == "no key is declared"; }) == 1);
}

TEST_CASE("a share takes some of the computations, and half of two is one") {
  const char* keys = "[a]\nP2 = \"gpu/h100_sxm_700W power.tdp_W 0.5\"\nG2 = \"term/G2 x 1.5\"\n";
  CHECK(of(keys, 0.5).size() == 1);
  CHECK(of(keys, 0.0).empty());
  CHECK(mutation_json(of(keys)).find("\"red\": 2") != std::string::npos);
  CHECK(mutation_text(of(keys)).find("2 of 3 passing rows turn red") != std::string::npos);
}
