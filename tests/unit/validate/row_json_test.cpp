#include "validate/row_json.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

TEST_CASE("rows as JSON: a number or an interval, and null where a row was skipped") {
  const auto text = validate::rows_json({validate::against("P2", "a", "s", 2.0, 2.1, 0.1, "paper"),
                                         validate::within("D1/swing", "b", "%", 1.0, 3.0, 2.0, 0.0, "paper"),
                                         validate::skipped("W1", "c", "paper", "no file")});
  CHECK(text.find("\"expected\": 2.0") != std::string::npos);
  CHECK(text.find("\"expected\": [\n") != std::string::npos);
  CHECK(text.find("\"got\": null") != std::string::npos);
  CHECK(text.find("\"verdict\": \"skipped\"") != std::string::npos);
  CHECK(text.find("\"kind\": \"seen\"") != std::string::npos);
  CHECK(text.find("\"median_error\": null") != std::string::npos);  // none of them is blind
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
