#include "validate/row_kind.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace tidewatt::validate;

TEST_CASE("a row's kind is that of the longest declared prefix, which ends where a part of the id does") {
  CHECK(kind_of("W3/18.4B") == Kind::seen);
  CHECK(kind_of("W3/175B-384") == Kind::half_fit);
  CHECK(kind_of("W14/22B-sel") == Kind::seen);
  CHECK(kind_of("W10/util") == Kind::half_fit);
  CHECK(kind_of("W15/naive") == Kind::fit);
  CHECK(kind_of("W15/large") == Kind::bound);
  CHECK(kind_of("fit/nodes-ac") == Kind::half_fit);
  CHECK(kind_of("G3/Pst/120V_50Hz") == Kind::conformance);
  CHECK(kind_of("C3/closure") == Kind::identity);
  CHECK(kind_of("C4/tower_york") == Kind::simulator);
  CHECK(kind_of("R5/70b-gb300-fp4") == Kind::blind);
  CHECK(kind_of("R1/gb200-512") == Kind::half_fit);
  CHECK(kind_of("E4/opt-fleet") == Kind::blind);
}

TEST_CASE("a row whose own paper sets an entry that it uses is the rest of a record") {
  for (const char* id : {"E1/fa2-1p3b-2k", "E1/fa2-2p7b-8k", "E4/rsc-1024"}) CHECK(kind_of(id) == Kind::half_fit);
}

TEST_CASE("an interval of 28 K for a die is a bound") {
  for (const char* id : {"T1/coolest", "T1/hottest"}) CHECK(kind_of(id) == Kind::bound);
}

TEST_CASE("a row without a declared kind cannot be printed") {
  CHECK_THROWS_AS(kind_of("W99"), std::logic_error);
  CHECK_THROWS_AS(kind_of("W1x"), std::logic_error);
}

TEST_CASE("a row that set a parameter is a fit, and what compares with a measurement is not") {
  for (const char* id : {"W1", "W9", "b300_cap/700", "P1/idle", "P3/1005", "P4/250", "longhorn_slope/pooled",
                         "V11/count", "V12", "W8/window", "longhorn_slowest", "P2", "T1/mean", "T3/line-fall"})
    CHECK(kind_of(id) == Kind::fit);
  for (const char* id : {"P1/plateau", "B200/load", "T4", "W4/530B-2240"}) CHECK(kind_of(id) == Kind::seen);
}
