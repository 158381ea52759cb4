#include "validate/row_term.hpp"

#include "catch.hpp"

using namespace tidewatt::validate;

TEST_CASE("a term is scaled by its name and only in its scope") {
  {
    const TermInUse use("G5.inertia_s", 2.0);
    CHECK(term("G5.inertia_s", 5.0) == 10.0);
    CHECK(term("G5.droop_pu", 5.0) == 5.0);
  }
  CHECK(term("G5.inertia_s", 5.0) == 5.0);
}
