#include "validate/source_key.hpp"

#include "catch.hpp"

using tidewatt::validate::source_key;

TEST_CASE("two names of a publication are one source, and an unknown one stays") {
  CHECK(source_key("MLPerf Training v5.0") == source_key("MLCommons training_results_v5.0"));
  CHECK(source_key("arXiv 2407.21783") == "llama3");
  CHECK(source_key("energy audit") == "energy audit");
}
