#include "validate/row_json.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

TEST_CASE("rows as JSON: a number or an interval, and null where a row was skipped") {
  const auto text = validate::rows_json({validate::against("P2", "a", "s", 2.0, 2.1, 0.1, "paper"),
                                         validate::within("D1/swing", "b", "%", 1.0, 3.0, 2.0, 0.0, "paper"),
                                         validate::skipped("W4", "c", "paper", "no file")});
  CHECK(text.find("\"expected\": 2.0") != std::string::npos);
  CHECK(text.find("\"expected\": [\n") != std::string::npos);
  CHECK(text.find("\"got\": null") != std::string::npos);
  CHECK(text.find("\"verdict\": \"skipped\"") != std::string::npos);
  CHECK(text.find("\"kind\": \"seen\"") != std::string::npos);
  CHECK(text.find("\"median_error\": null") != std::string::npos);  // none of them is blind
}

TEST_CASE("blind rows say their first error and band, and the headline counts the first") {
  std::vector<validate::LedgerLine> lines(2);
  lines[0].row = "R4/h100-256", lines[0].error = 0.04, lines[0].commit = "c0ffee";
  lines[1].row = "R4/b200-64", lines[1].error = 0.2;
  auto inside = validate::against("R4/h100-256", "a", "s", 2.0, 2.02, 0.1, "one"),
       outside = validate::against("R4/b200-64", "b", "s", 2.0, 2.1, 0.1, "two");
  inside.p05 = 1.9, inside.p95 = 2.1, outside.p05 = 2.05, outside.p95 = 2.15;
  const auto text =
      validate::rows_json({inside, outside, validate::against("P2", "c", "s", 2.0, 2.0, 0.1, "x")}, lines);
  for (const char* part :
       {"\"first_error\": 0.04", "\"first_commit\": \"c0ffee\"", "\"p05\": 1.9", "\"count\": 2", "\"sources\": 2",
        "\"median_error\": 0.12", "\"outside_tolerance\": 1", "\"outside_band\": 1", "\"without_band\": 0"})
    CHECK_THAT(text, Catch::Contains(part));
}

TEST_CASE("groups by name, and an unknown one names the nearest") {
  CHECK(validate::chosen_groups({}).size() == validate::groups().size());
  REQUIRE(validate::chosen_groups({"grid"}).size() == 1);
  CHECK(validate::chosen_groups({"grid"}).front().name == "grid");
  try {
    validate::chosen_groups({"gird"});
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("did you mean 'grid'?") != std::string::npos);
  }
}
