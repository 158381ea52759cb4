#include "workload/layer_cost.hpp"

#include "cases.hpp"
#include "catch.hpp"
#include "workload/memory.hpp"

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

TEST_CASE("a band of an unfused attention costs its share", "[workload][layer_cost]") {
  ModelShape m = cases::gpt(96, 12288, 96);
  ParallelPlan p = cases::llama3_plan(16384);
  p.fused_attention = false, p.sequence_tokens = 2048;
  const Work whole = layer_cost(m, p, cases::a100(), cases::selene()).forward;
  m.attention_window = 1024;
  const Work band = layer_cost(m, p, cases::a100(), cases::selene()).forward;
  // Softmax, dropout and mask: 9 bytes for every score of 12 heads × 2,048 queries.
  const double saved_s = 9.0 * 12 * 2048 * 1024 / (0.8 * 2.039e12);
  CHECK(whole.memory_s - band.memory_s >= saved_s * (1.0 - 1e-9));
}

TEST_CASE("a parallel block joins its products and keeps their FLOPs", "[workload][layer_cost]") {
  ComputeParams gpu = cases::a100();
  gpu.multiprocessors = 1;  // no waves: only the number of products differs
  ModelShape m = cases::gpt(96, 12288, 96);
  ParallelPlan p = cases::llama3_plan(16384);
  p.sequence_tokens = 2048;
  const Work apart = layer_cost(m, p, gpu, cases::selene()).forward;
  m.parallel_block = true;
  const Work joined = layer_cost(m, p, gpu, cases::selene()).forward;
  CHECK(apart.gemm_s - joined.gemm_s == Approx(2.0 * gpu.gemm_overhead_s).epsilon(1e-6));
}

TEST_CASE("expert products: FLOPs of k experts, tiles of each", "[workload][layer_cost]") {
  ComputeParams gpu = cases::h100();
  gpu.gemm_overhead_s = 0.0, gpu.multiprocessors = 1;
  const ModelShape m = cases::deepseek_v3();
  ParallelPlan p = cases::deepseek_plan();
  p.recompute = "none", p.precision = "bf16", p.expert_imbalance_ratio = 1.0, p.ep_overlap_frac = 0.0;
  const PassCost cost = layer_cost(m, p, gpu, cases::roce(), LayerKind::expert);
  // 4,096 tokens × 8 copies over 4 local experts: 64 whole tiles each, so nothing is padded.
  const double linear_s =
      4096.0 * layer_linear_flops(m, LayerKind::expert) / (gpu.matrix_efficiency_frac * gpu.matrix_FLOP_per_s);
  CHECK(cost.forward.gemm_s + cost.forward.memory_s > linear_s);
  CHECK(cost.forward.gemm_s == Approx(linear_s).epsilon(0.01));
  p.expert_imbalance_ratio = 1.25;
  const PassCost uneven = layer_cost(m, p, gpu, cases::roce(), LayerKind::expert);
  const double routed_s = 8 * 4096.0 * 6.0 * 7168 * 2048 / (gpu.matrix_efficiency_frac * gpu.matrix_FLOP_per_s);
  CHECK(uneven.forward.gemm_s - cost.forward.gemm_s == Approx(0.25 * routed_s).epsilon(1e-6));
  CHECK(uneven.forward.link_s > 1.2 * cost.forward.link_s);
  // Few tokens per expert leave their tiles half empty.
  p.expert_imbalance_ratio = 1.0, p.sequence_tokens = 32;
  const PassCost thin = layer_cost(m, p, gpu, cases::roce(), LayerKind::expert);
  CHECK(thin.forward.total_s() > 1.2 / 128.0 * cost.forward.total_s());
}

TEST_CASE("dispatch and combine: bytes that leave the node over the cards", "[workload][layer_cost]") {
  const ComputeParams gpu = cases::h100();
  ModelShape m = cases::deepseek_v3();
  ParallelPlan p = cases::deepseek_plan();
  p.expert_imbalance_ratio = 1.0, p.ep_overlap_frac = 0.0, p.precision = "bf16";
  const double limited_s = layer_cost(m, p, gpu, cases::roce(), LayerKind::expert).forward.link_s;
  // Four copies of h bf16 travel, seven eighths of them to other nodes, there and back; no other links are in use.
  CHECK(limited_s == Approx(2.0 * (20e-6 + 4096.0 * 4.0 * 7.0 / 8.0 * 2.0 * 7168 / 40e9)));
  p.precision = "fp8";  // dispatch in fp8, combine in bf16
  CHECK(layer_cost(m, p, gpu, cases::roce(), LayerKind::expert).forward.link_s ==
        Approx(0.75 * limited_s).epsilon(0.01));
  p.precision = "bf16";
  m.expert_groups_per_token = 0;  // every copy on its own
  CHECK(layer_cost(m, p, gpu, cases::roce(), LayerKind::expert).forward.link_s ==
        Approx(2.0 * limited_s).epsilon(0.01));
  p.ep_overlap_frac = 1.0;
  CHECK(layer_cost(m, p, gpu, cases::roce(), LayerKind::expert).forward.link_s == 0.0);
  p.ep = 8;  // inside a node nothing leaves it
  p.ep_overlap_frac = 0.0;
  CHECK(layer_cost(m, p, gpu, cases::roce(), LayerKind::expert).forward.link_s < 0.3 * limited_s);
}

TEST_CASE("fp8 halves matrix time and gathers, and pays for casts", "[workload][layer_cost]") {
  const ComputeParams gpu = cases::h100();
  const ModelShape m = cases::gpt(96, 12288, 96);
  ParallelPlan p = cases::llama3_plan(16384);
  p.sequence_tokens = 2048;
  const PassCost wide = layer_cost(m, p, gpu, cases::roce());
  p.precision = "fp8";
  const PassCost narrow = layer_cost(m, p, gpu, cases::roce());
  CHECK(narrow.forward.gemm_s < 0.55 * wide.forward.gemm_s);
  CHECK(narrow.forward.attention_s == wide.forward.attention_s);
  CHECK(narrow.forward.memory_s > wide.forward.memory_s);
  // Two all-gathers of half the bytes; the reduce-scatters stay as they are.
  CHECK(wide.forward.link_s - narrow.forward.link_s == Approx(7.0 / 8.0 * 2.0 * 2048 * 12288 / 360e9));
  CHECK(narrow.forward.total_s() < wide.forward.total_s());
}

TEST_CASE("zero3 gathers weights in every pass, behind the layer's work if it may", "[workload][layer_cost]") {
  const ComputeParams gpu = cases::h100();
  const ModelShape m = cases::llama3_405b();
  ParallelPlan p = cases::llama3_plan(16384);
  p.dp_overlap = false;
  const PassCost base = layer_cost(m, p, gpu, cases::roce());
  p.sharding = "zero3";
  const PassCost exposed = layer_cost(m, p, gpu, cases::roce());
  const double gather_s = group_all_gather_s(cases::roce(), p.gradient_group(), 2.0 * layer_parameters(m) / 8.0);
  CHECK(exposed.forward.link_s - base.forward.link_s == Approx(gather_s));
  const double scatter_s = group_all_gather_s(cases::roce(), p.gradient_group(), 4.0 * layer_parameters(m) / 8.0);
  CHECK(exposed.backward.link_s - base.backward.link_s == Approx(gather_s + scatter_s));
  p.dp_overlap = true;
  const PassCost hidden = layer_cost(m, p, gpu, cases::roce());
  CHECK(hidden.forward.total_s() < exposed.forward.total_s());
  CHECK(hidden.forward.total_s() > base.forward.total_s());
}

TEST_CASE("frozen weights have no weight gradient: a third of the linear work goes, adapters add little",
          "[workload][layer_cost]") {
  ComputeParams gpu = cases::h100();
  gpu.gemm_overhead_s = 0.0, gpu.hbm_B_per_s = 1e18, gpu.multiprocessors = 1;  // matrix work alone, no waves
  const ModelShape m = cases::llama3_405b();
  ParallelPlan p = cases::llama3_plan(16384);
  const PassCost trained = layer_cost(m, p, gpu, cases::roce());
  p.adapter_rank = 128;
  p.adapter_layers = "attention";
  const PassCost attention = layer_cost(m, p, gpu, cases::roce());
  p.adapter_layers = "all";
  const PassCost all = layer_cost(m, p, gpu, cases::roce());
  const auto linear_s = [](const PassCost& c) { return c.forward.gemm_s + c.backward.gemm_s; };
  // 2 of 3 products, and three products of rank 128 beside them: tokens · rank · (in + out) each.
  const double frozen_s = linear_s(trained) * 2.0 / 3.0;
  const double adapters_flops = 6.0 * p.micro_batch_tokens_per_gpu() * adapter_parameters(m, p);
  CHECK(linear_s(all) - frozen_s ==
        Approx(adapters_flops / (gpu.matrix_efficiency_frac * gpu.matrix_FLOP_per_s)).epsilon(1e-3));
  CHECK(linear_s(attention) > frozen_s);
  CHECK(linear_s(attention) < linear_s(all));
  CHECK(all.forward.attention_s == trained.forward.attention_s);
  p.adapter_rank = 0;
  CHECK(linear_s(layer_cost(m, p, gpu, cases::roce())) == linear_s(trained));
}

TEST_CASE("experts run at the grouped rate, the rest of the layer does not", "[workload][layer_cost]") {
  ComputeParams gpu = cases::h100();
  ParallelPlan p = cases::deepseek_plan();
  const PassCost even = layer_cost(cases::deepseek_v3(), p, gpu, cases::roce(), LayerKind::expert);
  const PassCost dense = layer_cost(cases::deepseek_v3(), p, gpu, cases::roce());
  gpu.grouped_efficiency_ratio = 0.5;
  const PassCost slow = layer_cost(cases::deepseek_v3(), p, gpu, cases::roce(), LayerKind::expert);
  CHECK(slow.forward.gemm_s > 1.2 * even.forward.gemm_s);
  CHECK(slow.forward.gemm_s < 2.0 * even.forward.gemm_s);
  CHECK(slow.forward.link_s == even.forward.link_s);
  CHECK(layer_cost(cases::deepseek_v3(), p, gpu, cases::roce()).forward.gemm_s == dense.forward.gemm_s);
}

TEST_CASE("the busiest expert rank sets the pace: work and traffic of experts go with the imbalance",
          "[workload][layer_cost]") {
  const ComputeParams gpu = cases::h100();
  ParallelPlan p = cases::deepseek_plan();
  p.expert_imbalance_ratio = 1.0, p.ep_overlap_frac = 0.0;
  const PassCost even = layer_cost(cases::deepseek_v3(), p, gpu, cases::roce(), LayerKind::expert);
  p.expert_imbalance_ratio = 1.5;
  const PassCost busy = layer_cost(cases::deepseek_v3(), p, gpu, cases::roce(), LayerKind::expert);
  CHECK(busy.forward.link_s == Approx(1.5 * even.forward.link_s).epsilon(0.01));
  CHECK(busy.forward.gemm_s > 1.15 * even.forward.gemm_s);
}
