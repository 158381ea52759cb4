#include "validate/evidence_levels.hpp"

#include "catch.hpp"
#include "evidence_cases.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("tokens per second and GPU are the batch's tokens over step and GPUs; a step stays a step",
          "[validate][evidence]") {
  const EvidenceRun rate = run_named("E1/titan-405b-fp8");
  CHECK(published_unit(rate, 2.0) == Approx(32.0 * 8192.0 / (2.0 * 128.0)));
  CHECK(published_unit(run_named("E1/mtnlg-2240"), 2.0) == 2.0);
}

TEST_CASE("a step is longer under a lower limit, with slower memory, with fewer links, with more work",
          "[validate][evidence]") {
  const EvidenceRun run = run_named("E1/titan-405b-fp8");
  const double s = step_s(run);
  EvidenceRun other = run;
  other.tdp_W = 400;
  CHECK(step_s(other) > 1.02 * s);
  other = run, other.compute.hbm_B_per_s = 1e12;
  CHECK(step_s(other) > 1.02 * s);
  other = run, other.network.nvlink_B_per_s /= 4.0;
  CHECK(step_s(other) > 1.02 * s);  // without tensor-parallel traffic it would not move
  other = run, other.plan.recompute = "none";
  CHECK(step_s(other) < 0.9 * s);  // a fourth pass in four
  const EvidenceRun sharded = run_named("E1/ibm-70b-h100");
  other = sharded, other.network.nics_per_node = 1, other.network.nic_B_per_s /= 8.0;
  CHECK(step_s(other) > 1.5 * step_s(sharded));  // weights that are gathered in every pass
}

TEST_CASE("watts of a run: hotter dies leak, a limit holds, immersed nodes have no fans", "[validate][evidence]") {
  const EvidenceRun run = run_named("E1/smc-lora-8");
  EvidenceRun unlimited = run;
  unlimited.tdp_W = 2000;
  CHECK(training_gpu_W(unlimited, 348.0) > training_gpu_W(unlimited, 318.0) + 5.0);  // equal without leakage
  CHECK(training_gpu_W(run, 348.0) < 700.0);
  EvidenceRun low = run;
  low.tdp_W = 450;
  CHECK(training_gpu_W(low, 336.0) < 450.0);
  CHECK(training_gpu_W(low, 336.0) < 0.8 * training_gpu_W(run, 336.0));
  const double air_W = training_node_W(run, false), immersed_W = training_node_W(run, true);
  CHECK(air_W > immersed_W + 200.0);
  CHECK(immersed_W > 8.0 * training_gpu_W(run, 333.15));  // the server's own losses come on top
}

TEST_CASE("energy per token is watts over the rate", "[validate][evidence]") {
  const EvidenceRun run = run_named("E1/titan-405b-fp8");
  const double rate = published_unit(run, step_s(run));
  CHECK(joule_per_token(run) == Approx(training_gpu_W(run, 273.15 + 63.0) / rate).epsilon(1e-12));
}

TEST_CASE("a GPU at rest: warmer leaks more, a context costs its clock, gated leakage is less than the whole",
          "[validate][evidence]") {
  const double rest_W20 = rest_W("h100_sxm_700W", 20, false), rest_W60 = rest_W("h100_sxm_700W", 60, false);
  const double context_W20 = rest_W("h100_sxm_700W", 20, true), context_W60 = rest_W("h100_sxm_700W", 60, true);
  CHECK(rest_W60 > rest_W20 + 1.0);
  CHECK(context_W20 > rest_W20 + 20.0);
  CHECK(context_W60 - context_W20 > rest_W60 - rest_W20);
  CHECK(rest_W("h100_sxm_700W", 20, true, 1.2e9) < context_W20 - 5.0);
  CHECK(rest_W("h100_sxm_700W", 20, true, 1.2e9) > rest_W20);
  CHECK(node_rest_W("h100_sxm_700W", "dgx_h100") > 8.0 * rest_W20);
  CHECK(node_rest_W("a100_sxm_400W", "dgx_a100") < node_rest_W("h100_sxm_700W", "dgx_h100"));
}

TEST_CASE("a service: a larger batch draws more and gives more; longer answers slow it; it never draws above the limit",
          "[validate][evidence]") {
  const Node levels = evidence_file("evidence_levels.toml");
  const auto shape = shape_named(levels, "llama3_8b");
  const auto load = [](std::int64_t batch, std::int64_t output) {
    ServedLoad l{reference_service(1, batch), "h100_sxm_700W", "dgx_h100_ndr"};
    l.service.output_tokens = output;
    return l;
  };
  CHECK(service_gpu_W(shape, load(4, 250)) < service_gpu_W(shape, load(256, 250)));
  CHECK(service_gpu_W(shape, load(256, 250)) < 700.0);
  CHECK(batch_tokens_per_s(shape, load(64, 250)) > 4.0 * batch_tokens_per_s(shape, load(8, 250)));
  CHECK(batch_tokens_per_s(shape, load(64, 4000)) < 0.9 * batch_tokens_per_s(shape, load(64, 1000)));  // cache reads
}

TEST_CASE("a batch's rate is its tokens over prompts and steps", "[validate][evidence]") {
  const Node levels = evidence_file("evidence_levels.toml");
  const auto shape = shape_named(levels, "gpt_j_6b");
  ServedLoad load{reference_service(1, 16), "a100_sxm_400W", "dgx_a100_hdr"};
  load.service.prompt_tokens = 128, load.service.output_tokens = 128;
  const double rate = batch_tokens_per_s(shape, load);
  load.service.step_overhead_s += 10e-3;
  CHECK(16.0 * 128.0 / batch_tokens_per_s(shape, load) - 16.0 * 128.0 / rate == Approx(1.28).epsilon(0.02));
}
