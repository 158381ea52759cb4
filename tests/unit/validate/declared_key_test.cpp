#include "validate/declared_key.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "validate/row_kind.hpp"

using namespace tidewatt::validate;

TEST_CASE("a row's key is that of the longest prefix, with area and factor") {
  const auto keys = read_declared_keys(R"(
["training time"]
R1 = "compute/h100 fp8_efficiency_frac 0.7"
"R1/gb200-512" = "term/fit/nodes train_W 1.1"
[grid]
G2 = "none: typed in"
)");
  const auto* first = declared_key(keys, "R1/h100-512");
  REQUIRE(first != nullptr);
  CHECK(first->area == "training time");
  CHECK(first->kind == "compute");
  CHECK(first->name == "h100");
  CHECK(first->key == "fp8_efficiency_frac");
  CHECK(first->factor == 0.7);
  CHECK(declared_key(keys, "R1/gb200-512")->name == "fit/nodes");
  CHECK(declared_key(keys, "G2")->why_none == "typed in");
  CHECK(declared_key(keys, "G20") == nullptr);
}

TEST_CASE("a line without key and factor, and without a reason, is refused") {
  for (const char* line : {"\"\"", "\"compute/h100 fp8\"", "\"h100 fp8 2\"", "\"compute/h100 fp8 much\"", "3"})
    CHECK_THROWS_AS(read_declared_keys(std::string("[a]\nR1 = ") + line + "\n"), tidewatt::InputError);
}

TEST_CASE("every prefix of evidence.toml is one of a row with a kind") {
  CHECK(declared_keys().size() > 100);
  for (const auto& k : declared_keys()) CHECK_NOTHROW(kind_of(k.prefix));
}

TEST_CASE("a failing row says what would mend it, and a key its device") {
  CHECK(!mend_of("R6/8b-tp8").empty());
  CHECK(mend_of("R5/dsv3-gb300-mx") != mend_of("R5/dsv3-b300-mx"));
  CHECK(mend_of("W2").empty());
  CHECK(device_of({"R1", "", "compute", "h100_sxm", "k", 0.5, ""}) == "h100");
  CHECK(device_of({"C3", "", "plant", "frontier_like_tower", "k", 0.5, ""}).empty());
}
