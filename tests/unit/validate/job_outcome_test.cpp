#include "validate/job_outcome.hpp"

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("a job that nothing interrupts loses only its saves", "[validate]") {
  WalkedJob run{{}, {1, 0.0}, {}, 1, 1, ns_per_s};
  run.job.storage_B_per_s = run.job.load_per_gpu_B_per_s = run.job.checkpoint_per_gpu_B_per_s = 1e9;
  run.job.checkpoint_base_s = 10.0, run.job.checkpoint_interval_s = 90.0;
  const auto got = outcome(run, Tick{86400} * ns_per_s, 2);
  CHECK(got.effective_frac == Approx(0.9).epsilon(0.01));
  run.job.checkpoint_base_s = 30.0;
  CHECK(outcome(run, Tick{86400} * ns_per_s, 2).effective_frac == Approx(0.75).epsilon(0.01));
}
