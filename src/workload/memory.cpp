#include "tidewatt/workload/memory.hpp"

#include <algorithm>

namespace tidewatt::workload {
namespace {

constexpr double weight_B = 2.0;      // bf16
constexpr double optimizer_B = 12.0;  // fp32 weight, first and second moment

double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

double activation_bytes_per_token(const ModelShape& m, const ParallelPlan& plan) {
  const double h = as_double(m.width), f = as_double(m.ffn_width), t = as_double(plan.tp);
  const double cut = plan.sequence_parallel ? 1.0 / t : 1.0;
  if (plan.recompute == "full") return 2.0 * h * cut;
  const double uncut = 8.0 * h + (m.dropout ? 2.0 * h : 0.0);  // inputs of norms and linear layers, masks
  const double linear = 4.0 * h + 4.0 * m.kv_width() + (m.gated_ffn ? 6.0 : 4.0) * f;
  const bool core_stored = !plan.fused_attention && plan.recompute == "none";
  const double keys = as_double(plan.sequence_tokens);
  const double core = core_stored ? (m.dropout ? 5.0 : 2.0) * as_double(m.heads) * keys : 0.0;
  return uncut * cut + (linear + core) / t;
}

double chunks_in_flight(const ParallelPlan& plan) {
  const std::int64_t m = plan.micro_batches(), p = plan.pp, v = plan.virtual_stages;
  return as_double(v == 1 ? std::min(m, p) : std::min(m * v, v * p + p - 1));
}

double activation_bytes(const ModelShape& shape, const ParallelPlan& plan) {
  const double slots = as_double(shape.layers + plan.layers_removed_first + plan.layers_removed_last);
  const double layers_per_chunk = slots / as_double(plan.virtual_stage_count());
  double chunk_layers = chunks_in_flight(plan) * layers_per_chunk;
  // The lighter first chunk holds one micro-batch per stage of the pipeline.
  chunk_layers -= as_double(std::min(plan.micro_batches(), plan.pp) * plan.layers_removed_first);
  return plan.micro_batch_tokens_per_gpu() * activation_bytes_per_token(shape, plan) * std::max(0.0, chunk_layers);
}

double virtual_stage_parameters(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k) {
  double n = as_double(layers_in_virtual_stage(shape, plan, k)) * layer_parameters(shape);
  if (k == 0) n += embedding_parameters(shape);
  const bool last = k == plan.virtual_stage_count() - 1;
  if (last) n += head_parameters(shape);
  if (last && k > 0 && shape.tied_embeddings) n += embedding_parameters(shape);  // its own copy of the table
  return n / as_double(plan.tp);
}

MemoryUse memory_use(const ModelShape& shape, const ParallelPlan& plan) {
  double n = 0.0;
  for (std::int64_t c = 0; c < plan.virtual_stages; ++c) n += virtual_stage_parameters(shape, plan, c * plan.pp);
  const double shards = as_double(plan.dp() * plan.cp);
  MemoryUse use;
  use.weights_B = weight_B * n;
  const bool gradients_cut = plan.sharding == "zero2" || plan.sharding == "fsdp";
  use.gradients_B = as_double(plan.gradient_bytes) * n / (gradients_cut ? shards : 1.0);
  use.optimizer_B = optimizer_B * n / (plan.sharding == "none" ? 1.0 : shards);
  use.activations_B = activation_bytes(shape, plan);
  return use;
}

double checkpoint_bytes(const ModelShape& shape) { return (weight_B + optimizer_B) * parameter_count(shape); }

}  // namespace tidewatt::workload
