#include "grid/psse_dyr.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("records go over lines, quotes are optional, a blank in an id is none") {
  const auto r = parse_dyr(
      "// a comment / with a slash\n  102 'GENROU' EG 6.0, 0.5\n 1.0 /  what follows is a comment\n\n 101,'SEXS', '1 ' "
      ".1 /",
      "a.dyr");
  REQUIRE(r.size() == 2);
  CHECK(r[0].bus == 102);
  CHECK(r[0].model == "GENROU");
  CHECK(r[0].id == "EG");
  CHECK(r[0].values == std::vector<std::string>{"6.0", "0.5", "1.0"});
  CHECK(r[0].place.line == 2);
  CHECK(r[1].id == "1");
  CHECK(r[1].place.line == 5);
}

TEST_CASE("quotes are single or double, and end on their line") {
  const auto r = parse_dyr("102 \"GENROU\" \"1 \" 6.0 \"a / b\" /\n101 'SEXS' 1 .1 /\n", "a.dyr");
  REQUIRE(r.size() == 2);
  CHECK(r[0].model == "GENROU");
  CHECK(r[0].id == "1");
  CHECK(r[0].values == std::vector<std::string>{"6.0", "a / b"});
  CHECK_THROWS_WITH(parse_dyr("102 'GENROU 1 6.0 /\n101 'SEXS' 1 .1 /\n", "a.dyr"),
                    Catch::Matchers::Contains("a.dyr:1:0: a quote that its line does not close"));
}

TEST_CASE("a record that does not end, or does not begin as one, is a finding with its line") {
  CHECK_THROWS_WITH(parse_dyr("1 'SEXS' 1 0.1 /\n1 'GENROU' 1 2.0\n", "a.dyr"),
                    Catch::Matchers::Contains("a.dyr:2:0") && Catch::Matchers::Contains("does not end"));
  CHECK_THROWS_WITH(parse_dyr("GENROU 1 /", "a.dyr"), Catch::Matchers::Contains("begins with bus"));
  CHECK_THROWS_AS(read_dyr("no_such.dyr"), InputError);
}

TEST_CASE("values are taken in order; missing, wrong and left over are said") {
  const auto r = parse_dyr("7 'X' 1 2.5 +3e0 word 99 1.5 4 /", "a.dyr");
  std::vector<Finding> findings;
  DyrValues v(r.at(0), findings);
  CHECK(v.number("a") == 2.5);
  CHECK(v.whole("b", {0, 5}) == 3);
  v.number("c");
  const double inside = v.number("d", {0, 10});
  CHECK((inside >= 0.0 && inside <= 10.0));
  v.whole("e", {0, 5});
  v.finish();
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].text() == "a.dyr:1:0: X 1 at bus 7: c: 'word' is not a number");
  CHECK(findings[1].message == "99 is outside of 0 to 10");
  CHECK(findings[2].message == "1.5 is not a whole number");
  CHECK(findings[3].message == "the record has 6 values, expected 5");
  CHECK(v.text("f") == "4");
  v.number("g");
  v.number("h");
  CHECK(findings.size() == 5);  // one finding for all that is missing
}
