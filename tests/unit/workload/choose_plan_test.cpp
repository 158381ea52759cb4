#include "workload/choose_plan.hpp"

#include "cases.hpp"
#include "catch.hpp"
#include "workload/memory.hpp"
#include "workload/straddling.hpp"

using namespace tidewatt::workload;

namespace {

ComputeParams with_memory(double GiB) {
  auto c = cases::h100();
  c.hbm_capacity_B = GiB * 1073741824.0;
  return c;
}

NetworkParams node_of(std::int64_t n_gpu) {
  auto n = cases::roce();
  n.gpus_per_node = n.nics_per_node = n_gpu;
  return n;
}

}  // namespace

TEST_CASE("a chosen plan passes the plan check, leaves no doubt about memory and uses every GPU") {
  for (const auto& shape : {cases::llama3_405b(), cases::gpt(96, 12288, 96), cases::mixtral(), cases::deepseek_v3()}) {
    std::optional<ParallelPlan> plan;
    for (std::int64_t n = 128; n <= 16384 && !plan; n *= 2)
      plan = choose_plan(shape, with_memory(80), node_of(8), {n, 8, 4096});
    REQUIRE(plan);
    CHECK(check_plan_on_servers(shape, *plan, with_memory(80), node_of(8), 8, "").empty());
    CHECK_FALSE(memory_doubt(shape, *plan, with_memory(80)));
    CHECK(plan->tp * plan->pp * plan->dp() == plan->n_gpu);
    CHECK((plan->pp == 1 || plan->stage_ranks() % 8 == 0));  // a server holds one stage
    CHECK(plan->rank_order == "tp-cp-dp-pp");
  }
}

TEST_CASE("less memory asks for larger groups, and too little for none") {
  const auto shape = cases::llama3_405b();
  const auto roomy = choose_plan(shape, with_memory(180), node_of(8), {4096}),
             tight = choose_plan(shape, with_memory(80), node_of(8), {4096});
  REQUIRE(roomy);
  REQUIRE(tight);
  CHECK(roomy->tp * roomy->pp < tight->tp * tight->pp);
  CHECK_FALSE(choose_plan(shape, with_memory(4), node_of(8), {4096}));
  CHECK_FALSE(choose_plan(shape, with_memory(80), node_of(8), {8}));
}

TEST_CASE("micro-batches stay whole per stage and near 16 M tokens") {
  const auto plan = choose_plan(cases::llama3_405b(), with_memory(80), node_of(8), {16384});
  REQUIRE(plan);
  CHECK(plan->micro_batches() % plan->pp == 0);
  CHECK(plan->micro_batches() <= 4 * plan->pp);
  CHECK(plan->tokens_per_iteration() < 70e6);
}

TEST_CASE(
    "no group of a plan on racks lies across two scale-up domains, and the GPUs compute in the format asked for") {
  auto rack = node_of(4);
  rack.scale_up_gpus = 72;
  for (const auto& shape : {cases::llama3_405b(), cases::mixtral(), cases::deepseek_v3()}) {
    PlanRequest request{24 * 72, 4, 4096};
    request.precision = "fp8";
    const auto plan = choose_plan(shape, with_memory(277), rack, request);
    REQUIRE(plan);
    CHECK(plan->precision == "fp8");
    for (const std::int64_t group : {plan->tp, plan->ep}) CHECK((group > 72 ? group % 72 == 0 : 72 % group == 0));
    CHECK_FALSE(straddling_group(*plan, rack, 72));
  }
}
