#include "workload/memory.hpp"

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

namespace {

constexpr double GiB = 1073741824.0;

struct Published {
  const char* name;
  std::int64_t layers, width, heads, pp, virtual_stages, micro_batch;
  double stored_GiB, selective_GiB;  // arXiv 2205.05198 as recomputed by Calculon
};

ParallelPlan plan_of(const Published& c) {
  ParallelPlan p;
  p.tp = 8, p.pp = c.pp, p.virtual_stages = c.virtual_stages, p.n_gpu = 8 * c.pp;
  p.micro_batch_sequences = c.micro_batch, p.global_batch_sequences = c.micro_batch * c.pp * 4;
  p.sequence_tokens = 2048;
  return p;
}

}  // namespace

TEST_CASE("activation memory: eight published cases", "[workload][W13]") {
  const Published table[] = {{"22B", 48, 6144, 64, 1, 1, 4, 59.25, 9.5625},
                             {"175B", 96, 12288, 96, 8, 3, 1, 66.84, 12.35},
                             {"530B", 105, 20480, 128, 35, 3, 1, 114.02, 23.08},
                             {"1T", 128, 25600, 160, 64, 1, 1, 131.25, 26.56}};
  for (const auto& c : table) {
    const ModelShape m = cases::gpt(c.layers, c.width, c.heads);
    ParallelPlan p = plan_of(c);
    INFO(c.name);
    CHECK(activation_bytes(m, p) / GiB == Approx(c.stored_GiB).epsilon(0.001));
    p.sequence_parallel = true;
    p.recompute = "selective";
    CHECK(activation_bytes(m, p) / GiB == Approx(c.selective_GiB).epsilon(0.001));
  }
}

TEST_CASE("weights, gradients and optimizer take 18 bytes per parameter unsharded", "[workload]") {
  const ModelShape m = cases::gpt(96, 12288, 96);
  ParallelPlan p = plan_of({"175B", 96, 12288, 96, 8, 3, 1, 0, 0});
  const MemoryUse use = memory_use(m, p);
  const double layers_only_B = 18.0 * 12.0 * layer_parameters(m) / 8.0;
  CHECK(layers_only_B / GiB == Approx(45.56).epsilon(0.001));
  CHECK(use.weights_B + use.gradients_B + use.optimizer_B ==
        Approx(layers_only_B + 18.0 * embedding_parameters(m) / 8.0));
  p.n_gpu *= 4;
  p.global_batch_sequences *= 4;
  p.sharding = "zero1";
  CHECK(memory_use(m, p).optimizer_B == Approx(use.optimizer_B / 4));
  CHECK(memory_use(m, p).gradients_B == Approx(use.gradients_B));
  p.sharding = "zero2";
  CHECK(memory_use(m, p).gradients_B == Approx(use.gradients_B / 4));
}

TEST_CASE("each saving of activations saves", "[workload]") {
  const ModelShape m = cases::llama3_405b();
  ParallelPlan p = cases::llama3_plan(16384);
  const double base = activation_bytes(m, p);
  p.fused_attention = false;
  CHECK(activation_bytes(m, p) > base);
  p = cases::llama3_plan(16384);
  p.sequence_parallel = false;
  CHECK(activation_bytes(m, p) > base);
  p = cases::llama3_plan(16384);
  p.recompute = "full";
  CHECK(activation_bytes(m, p) < 0.1 * base);
  CHECK(checkpoint_bytes(m) == Approx(14.0 * 405.85e9).epsilon(0.001));
}

TEST_CASE("experts cut over ep, their optimizer over whoever holds the same", "[workload][memory]") {
  const ModelShape m = cases::deepseek_v3();
  ParallelPlan p = cases::deepseek_plan();
  double shared = 0.0, routed = 0.0;
  for (std::int64_t k = 0; k < p.virtual_stage_count(); ++k) {
    shared += virtual_stage_weights(m, p, k).shared;
    routed += virtual_stage_weights(m, p, k).routed;
  }
  CHECK(shared + 64.0 * routed == Approx(parameter_count(m)).epsilon(1e-12));
  const MemoryUse zero1 = memory_use(m, p);
  CHECK(zero1.optimizer_B < 12.0 * zero1.weights_B / 2.0 / 2.0 * 1.1);  // experts have two copies, the rest 128
  p.sharding = "none";
  CHECK(memory_use(m, p).optimizer_B == Approx(6.0 * zero1.weights_B));
  const HeldWeights wide = virtual_stage_weights(m, p, 2);
  p.ep = 32;
  CHECK(virtual_stage_weights(m, p, 2).routed == Approx(2.0 * wide.routed));
  CHECK(virtual_stage_weights(m, p, 2).shared == wide.shared);
}

TEST_CASE("the fullest stage: the first of a uniform model, not of one whose experts come later",
          "[workload][memory]") {
  CHECK(fullest_stage(cases::llama3_405b(), cases::llama3_plan(16384)) <= 1);  // the first has a layer less
  ParallelPlan p = cases::deepseek_plan();
  ModelShape m = cases::deepseek_v3();
  CHECK(fullest_stage(m, p) == 0);  // the input table there outweighs three expert layers cut over 64 ranks
  m.vocabulary = 1024;
  CHECK(fullest_stage(m, p) >= 1);
  CHECK(memory_use(m, p, fullest_stage(m, p)).total_B() > memory_use(m, p).total_B());
  // Later stages hold fewer micro-batches in flight.
  p.virtual_stages = 1;
  CHECK(chunks_in_flight(p, 0) == 16.0);
  CHECK(chunks_in_flight(p, 15) == 1.0);
}

TEST_CASE("zero3 holds a shard and two layers", "[workload][memory]") {
  const ModelShape m = cases::llama3_405b();
  ParallelPlan p = cases::llama3_plan(16384);
  const MemoryUse whole = memory_use(m, p);
  p.sharding = "zero3";
  const MemoryUse cut = memory_use(m, p);
  CHECK(cut.weights_B == Approx(whole.weights_B / 128 + 2.0 * 2.0 * layer_parameters(m) / 8));
  CHECK(cut.gradients_B == Approx(whole.gradients_B));
  CHECK(cut.optimizer_B == Approx(whole.optimizer_B));
}

TEST_CASE("an expert layer stores its token copies", "[workload][memory]") {
  ModelShape m = cases::mixtral();
  ParallelPlan p = cases::deepseek_plan();
  p.recompute = "none";
  const double dense = activation_bytes_per_token(m, p), expert = activation_bytes_per_token(m, p, LayerKind::expert);
  // Two copies of 4 h + 6 f (times the imbalance) and the router's scores against one 6 f.
  CHECK(expert - dense == Approx(1.1 * 2.0 * (4.0 * 4096 + 6.0 * 14336) + 4.0 * 8 - 6.0 * 14336));
  p.recompute = "full";
  CHECK(activation_bytes_per_token(m, p, LayerKind::expert) == 2.0 * 4096);
}

TEST_CASE("adapters: frozen weights in the linear format, gradients and moments of the adapters only",
          "[workload][memory]") {
  const ModelShape m = cases::llama3_405b();
  ParallelPlan p = cases::llama3_plan(16384);
  p.adapter_rank = 16, p.sharding = "zero1";
  // q, k, v of one product, its sum, gate and up of one product, down; widths cut over tp = 8 where layers are.
  const double widths =
      (16384 + 18432.0 / 8) + (16384.0 / 8 + 16384) + (16384 + 2 * 53248.0 / 8) + (53248.0 / 8 + 16384);
  CHECK(adapter_parameters(m, p) == Approx(16 * widths));
  p.adapter_layers = "attention";
  CHECK(adapter_parameters(m, p) == Approx(16 * ((16384 + 18432.0 / 8) + (16384.0 / 8 + 16384))));
  CHECK(trained_weights(m, p, 1).total() == Approx(adapter_parameters(m, p)));  // one layer per chunk
  const MemoryUse frozen = memory_use(m, p);
  p.precision = "fp8";
  const MemoryUse narrow = memory_use(m, p);
  CHECK(narrow.weights_B == Approx(0.5 * frozen.weights_B));
  p.precision = "bf16", p.adapter_rank = 0;
  const MemoryUse trained = memory_use(m, p);
  CHECK(frozen.weights_B == Approx(trained.weights_B));
  CHECK(frozen.gradients_B < 0.01 * trained.gradients_B);
  CHECK(frozen.optimizer_B < 0.01 * trained.optimizer_B);
  CHECK(frozen.activations_B < trained.activations_B);  // inputs of frozen down projections are not kept
}
