#include "validate/references.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "validate/evidence_runs.hpp"
#include "validate/row_kind.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("of several cases the row is about the one farthest apart, by its own measure of distance", "[validate]") {
  WorstCase worst;
  worst.add(100.0, 101.0, "large");
  worst.add(1.0, 1.5, "small");
  const Row by_share = worst.row("X", "both", "K", 0.1, false, "s"),
            by_unit = worst.row("X", "both", "K", 2.0, true, "s");
  CHECK(by_share.expected_low == 1.0);
  CHECK(by_share.verdict == Verdict::fail);
  CHECK(by_share.what == "both, the worst of 2 cases: small");
  CHECK(by_unit.expected_low == 100.0);
  CHECK(by_unit.verdict == Verdict::pass);
  worst.add(1.0, std::nan(""), "none");
  CHECK(worst.row("X", "all", "K", 0.1, false, "s").verdict == Verdict::fail);  // a NaN is the worst
}

TEST_CASE("reference values name their package, and a list that is not there is an error", "[validate]") {
  const References r;
  CHECK(r.version("CoolProp").starts_with("CoolProp "));
  CHECK(r.cases("psychrolib_air").size() == 30);
  CHECK_THROWS_AS(r.cases("nothing"), InputError);
}

TEST_CASE("without the weather files their rows are skipped, and the others stay", "[validate]") {
  std::vector<Row> rows;
  weather_reference_rows(References(), {}, rows);
  REQUIRE(rows.size() == 3);
  CHECK(rows.back().verdict == Verdict::skipped);
  for (const Row& row : rows) CHECK((kind_of(row.id) == Kind::simulator || kind_of(row.id) == Kind::conformance));
}

TEST_CASE("the kernel's package gains what CVODE's gains, to a tenth of a percent", "[validate]") {
  std::vector<Row> rows;
  heat_reference_rows(References(), rows);
  for (const Row& row : rows) {
    INFO(row.id << ": " << row.got << " against " << row.expected_low);
    CHECK(std::abs(row.error) < (row.absolute ? 0.05 : 0.001));
  }
}
