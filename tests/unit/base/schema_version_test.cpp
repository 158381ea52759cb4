#include "base/schema_version.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

TEST_CASE("a file of a later format is refused by its version alone") {
  const Node newer = parse_toml("unknown_key = 1\nschema = 9\n", "new.toml");
  CHECK_THROWS_WITH(refuse_newer(newer, 1), Catch::Contains("new.toml:2:") && Catch::Contains("newer tidewatt"));
  CHECK_NOTHROW(refuse_newer(newer, 9));
  for (const char* text : {"", "schema = 1", "schema = 0", "schema = \"9\"", "schema = 9.5"})
    CHECK_NOTHROW(refuse_newer(parse_toml(text, "x.toml"), 1));  // the reader's to accept or refuse
}
