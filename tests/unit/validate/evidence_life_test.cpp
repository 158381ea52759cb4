#include "validate/evidence_life.hpp"

#include "catch.hpp"
#include "evidence_cases.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("more GPUs take longer to set up and to load, and fail more often", "[validate][evidence]") {
  const double small_s = restart_s("llama3_405b", "llama3_405b", 8192),
               large_s = restart_s("llama3_405b", "llama3_405b", 100000);
  CHECK(large_s > small_s + 100.0);  // 2 ms of set-up a GPU
}

TEST_CASE("lost time grows with the number of GPUs and is a share", "[validate][evidence]") {
  const double few = lost_frac("llama3_405b", "llama3_405b", "llama3_405b", 8192, 6.5),
               many = lost_frac("llama3_405b", "llama3_405b", "llama3_405b", 65536, 6.5);
  CHECK(few > 0.0);
  CHECK(many > 2.0 * few);
  CHECK(many < 1.0);
}

TEST_CASE("a slow GPU costs at most its clock, and nothing where it is not slow", "[validate][evidence]") {
  const EvidenceRun run = run_named("E1/bloom-176b");
  CHECK(slow_gpu_frac(run, 1.0) == 0.0);
  const double slower = slow_gpu_frac(run, 0.9);
  CHECK(slower > 0.05);
  CHECK(slower < 1.0 / 0.9 - 1.0);
}

TEST_CASE("hours between failures fall with the number of GPUs", "[validate][evidence]") {
  CHECK(hours_between_failures("rsc1", 1024) == Approx(2.0 * hours_between_failures("rsc1", 2048)));
  // Llama 3: 419 interruptions of 16,384 GPUs in 54 days, all of whose causes are rates of this entry.
  CHECK(hours_between_failures("llama3_405b", 16384) == Approx(54.0 * 24.0 / 419.0).epsilon(0.03));
}
