#include "validate/evidence_causes.hpp"

#include "catch.hpp"

using namespace tidewatt::validate;

TEST_CASE("the longest prefix gives a row's likely cause", "[validate][evidence]") {
  CHECK(likely_cause("E1/mpt-7b-h100") != likely_cause("E1/mpt-7b"));
  CHECK(likely_cause("E1/llama2-7b") != likely_cause("E1/llama-7b"));
  CHECK(likely_cause("E4/opt-fleet") == likely_cause("E4/rsc-1024"));
  CHECK(likely_cause("W1").empty());
}
