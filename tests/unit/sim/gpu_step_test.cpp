#include "sim/gpu_step.hpp"

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;

TEST_CASE(
    "numbers of GPUs are whole servers, domains, replicas and expert groups, and none between them passes the check") {
  const auto s = tiny();
  const auto& plan = s.jobs.front().plan;
  CHECK(sim::gpu_step(s).n_gpu == plan.tp * plan.pp);  // 32: more than a server of 8
  const auto wide = tiny("", {"job.main.network.scale_up_gpus=24", "hall.a.n_gpu=96", "job.main.plan.n_gpu=96",
                              "job.main.plan.global_batch_sequences=48"});
  CHECK(sim::gpu_step(wide).n_gpu == 96);
  auto experts = s;
  experts.jobs.front().plan.ep = 16;  // of a stage's tp x dp ranks
  CHECK(sim::gpu_step(experts).n_gpu == 4 * 16);
  auto spare = s;
  spare.halls.front().hall.n_gpu += 8;  // the job does not fill the hall: its plan does not bind the hall
  CHECK(sim::gpu_step(spare).n_gpu == 8);
}
