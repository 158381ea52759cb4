#include "tidewatt/workload/layer_cost.hpp"

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

TEST_CASE("a layer's matrix time is its FLOPs over the reached rate", "[workload][compute]") {
  ComputeParams gpu = cases::h100();
  gpu.gemm_overhead_s = 0.0, gpu.multiprocessors = 1;  // no waves, no overhead
  const ModelShape m = cases::llama3_405b();
  const ParallelPlan p = cases::llama3_plan(16384);
  const PassCost cost = layer_cost(m, p, gpu, cases::roce());
  const double tokens = 8192.0 / 8.0;
  const double linear_s = tokens * layer_linear_flops(m) / (gpu.matrix_efficiency_frac * gpu.matrix_FLOP_per_s);
  const double attention_s = tokens * layer_attention_flops(m, 8192, AttentionCount::causal) /
                             (gpu.attention_efficiency_frac * gpu.matrix_FLOP_per_s);
  CHECK(cost.forward.gemm_s == Approx(linear_s).epsilon(1e-3));
  CHECK(cost.backward.gemm_s == Approx(2 * linear_s).epsilon(1e-3));
  CHECK(cost.forward.attention_s == Approx(attention_s * (8192.0 + 300.0) / 8192.0));
  CHECK(cost.backward.attention_s == Approx(2.5 * cost.forward.attention_s));
  // All-gather and reduce-scatter twice, over seven hops each.
  const double once_s = 7 * 4e-6 + 7.0 / 8.0 * 2.0 * 8192 * 16384 / (450e9 * 0.8);
  CHECK(cost.forward.link_s == Approx(4 * once_s));
}

TEST_CASE("parallel block, window and context parallelism change what they should", "[workload][compute]") {
  const ComputeParams gpu = cases::h100();
  const ParallelPlan p = cases::llama3_plan(16384);
  ModelShape m = cases::llama3_405b();
  const PassCost base = layer_cost(m, p, gpu, cases::roce());
  m.parallel_block = true;
  CHECK(layer_cost(m, p, gpu, cases::roce()).forward.link_s == Approx(0.5 * base.forward.link_s));
  m = cases::llama3_405b();
  m.attention_window = 1024;
  const PassCost window = layer_cost(m, p, gpu, cases::roce());
  CHECK(window.forward.attention_s < 0.3 * base.forward.attention_s);
  CHECK(window.forward.gemm_s == base.forward.gemm_s);
  ParallelPlan cut = p;
  cut.cp = 2;
  const PassCost half = layer_cost(cases::llama3_405b(), cut, gpu, cases::roce());
  CHECK(half.forward.attention_s == Approx(0.5 * base.forward.attention_s).epsilon(0.01));
  CHECK(half.forward.link_s > 0.5 * base.forward.link_s);  // keys and values travel
}
