#include "memory.hpp"

#include <algorithm>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr double weight_B = 2.0;      // bf16
constexpr double optimizer_B = 12.0;  // fp32 weight, first and second moment

double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

double activation_bytes_per_token(const ModelShape& m, const ParallelPlan& plan, LayerKind kind) {
  const double h = as_double(m.width), t = as_double(plan.tp);
  const double cut = plan.sequence_parallel ? 1.0 / t : 1.0;
  if (plan.recompute == "full") return 2.0 * h * cut;
  // Inputs of norms and linear layers, masks, low-rank queries, keys and values.
  double uncut = 8.0 * h + (m.dropout ? 2.0 * h : 0.0) + 2.0 * as_double(m.kv_rank + m.query_rank + m.rope_width);
  double linear =
      2.0 * m.score_width() + 2.0 * m.value_width() + 4.0 * (m.kv_rank > 0 ? m.value_width() : m.kv_width());
  const bool frozen_ffn = plan.adapter_rank > 0 && plan.adapter_layers != "all";
  const double inner = (m.gated_ffn ? 6.0 : 4.0) - (frozen_ffn ? 2.0 : 0.0);
  if (kind == LayerKind::dense) {
    linear += inner * as_double(m.ffn_width);
  } else {
    const double copies = as_double(m.experts_per_token) * plan.expert_imbalance_ratio;
    uncut += copies * (4.0 * h + inner * as_double(m.expert_width)) + 4.0 * as_double(m.experts);
    linear += as_double(m.shared_experts) * inner * as_double(m.expert_width);
  }
  const bool core_stored = !plan.fused_attention && plan.recompute == "none";
  const double keys = as_double(plan.sequence_tokens);
  const double core = core_stored ? (m.dropout ? 5.0 : 2.0) * as_double(m.heads) * keys : 0.0;
  return uncut * cut + (linear + core) / t;
}

double chunks_in_flight(const ParallelPlan& plan, std::int64_t stage) {
  const std::int64_t m = plan.micro_batches(), p = plan.pp, v = plan.virtual_stages;
  return as_double(v == 1 ? std::min(m, p - stage) : std::min(m * v, v * p + p - 1 - 2 * stage));
}

double activation_bytes(const ModelShape& shape, const ParallelPlan& plan, std::int64_t stage) {
  const double slots = as_double(shape.layers + plan.layers_removed_first + plan.layers_removed_last);
  const double layers_per_chunk = slots / as_double(plan.virtual_stage_count());
  double chunk_layers = chunks_in_flight(plan, stage) * layers_per_chunk;
  // The lighter first chunk keeps one micro-batch per stage of the pipeline.
  if (stage == 0) chunk_layers -= as_double(std::min(plan.micro_batches(), plan.pp) * plan.layers_removed_first);
  double dense = 0.0, all = 0.0;  // of the stage
  for (std::int64_t c = 0; c < plan.virtual_stages; ++c) {
    dense += as_double(dense_layers_in_virtual_stage(shape, plan, c * plan.pp + stage));
    all += as_double(layers_in_virtual_stage(shape, plan, c * plan.pp + stage));
  }
  const double dense_share = all > 0.0 ? dense / all : 1.0;
  double bytes = dense_share * activation_bytes_per_token(shape, plan);
  if (dense_share < 1.0) bytes += (1.0 - dense_share) * activation_bytes_per_token(shape, plan, LayerKind::expert);
  return plan.micro_batch_tokens_per_gpu() * bytes * std::max(0.0, chunk_layers);
}

HeldWeights virtual_stage_weights(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k) {
  const double dense = as_double(dense_layers_in_virtual_stage(shape, plan, k));
  const double expert = as_double(layers_in_virtual_stage(shape, plan, k)) - dense;
  double n = dense * layer_parameters(shape) + expert * layer_parameters(shape, LayerKind::expert);
  if (k == 0) n += embedding_parameters(shape);
  const bool last = k == plan.virtual_stage_count() - 1;
  if (last) n += head_parameters(shape);
  if (last && k > 0 && shape.tied_embeddings) n += embedding_parameters(shape);  // its own copy of the table
  return {n / as_double(plan.tp), expert * routed_expert_parameters(shape) / as_double(plan.ep)};
}

double adapter_parameters(const ModelShape& m, const ParallelPlan& plan, LayerKind kind) {
  if (plan.adapter_rank == 0) return 0.0;
  const double h = as_double(m.width), t = as_double(plan.tp);
  double widths = 0.0;  // in + out of every adapted layer
  const auto layer = [&](double in, double out) { widths += in + out; };
  if (m.kv_rank == 0) {
    layer(h, (m.score_width() + 2.0 * m.kv_width()) / t);
  } else {
    layer(h, as_double(m.kv_rank + m.rope_width + m.query_rank));
    layer(m.query_rank > 0 ? as_double(m.query_rank) : h, m.score_width() / t);
    layer(as_double(m.kv_rank), 2.0 * m.value_width() / t);
  }
  layer(m.value_width() / t, h);
  if (plan.adapter_layers == "all") {
    const double f =
        (kind == LayerKind::dense ? as_double(m.ffn_width) : as_double(m.shared_experts * m.expert_width)) / t;
    if (f > 0.0) layer(h, (m.gated_ffn ? 2.0 : 1.0) * f), layer(f, h);
  }
  return as_double(plan.adapter_rank) * widths;
}

HeldWeights trained_weights(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k) {
  if (plan.adapter_rank == 0) return virtual_stage_weights(shape, plan, k);
  const double dense = as_double(dense_layers_in_virtual_stage(shape, plan, k));
  const double expert = as_double(layers_in_virtual_stage(shape, plan, k)) - dense;
  return {dense * adapter_parameters(shape, plan) + expert * adapter_parameters(shape, plan, LayerKind::expert), 0.0};
}

MemoryUse memory_use(const ModelShape& shape, const ParallelPlan& plan, std::int64_t stage) {
  HeldWeights n, trained;
  for (std::int64_t c = 0; c < plan.virtual_stages; ++c) {
    const HeldWeights chunk = virtual_stage_weights(shape, plan, c * plan.pp + stage);
    const HeldWeights chunk_trained = trained_weights(shape, plan, c * plan.pp + stage);
    n.shared += chunk.shared;
    n.routed += chunk.routed;
    trained.shared += chunk_trained.shared;
    trained.routed += chunk_trained.routed;
  }
  const double held_B = plan.adapter_rank > 0 ? element_B(plan.linear_precision()) : weight_B;
  const double shared_copies = as_double(plan.gradient_group().size);
  const double routed_copies = as_double(plan.expert_gradient_group().size);
  const double cut = n.shared / shared_copies + n.routed / routed_copies, whole = n.total();
  const double trained_cut = trained.shared / shared_copies + trained.routed / routed_copies;
  const bool gradients_cut = plan.sharding == "zero2" || plan.sharding == "fsdp" || plan.sharding == "zero3";
  MemoryUse use;
  use.weights_B = held_B * whole;
  if (plan.sharding == "zero3") {  // its shard, and two gathered layers: one in use, the next on its way
    const double dense = layer_parameters(shape) / as_double(plan.tp);
    const double expert = layer_parameters(shape, LayerKind::expert) / as_double(plan.tp) +
                          routed_expert_parameters(shape) / as_double(plan.ep);
    use.weights_B = held_B * (cut + 2.0 * (shape.experts > 0 ? std::max(dense, expert) : dense));
  }
  use.gradients_B = as_double(plan.gradient_bytes) * (gradients_cut ? trained_cut : trained.total());
  use.optimizer_B = optimizer_B * (plan.sharding == "none" ? trained.total() : trained_cut);
  use.activations_B = activation_bytes(shape, plan, stage);
  return use;
}

std::int64_t fullest_stage(const ModelShape& shape, const ParallelPlan& plan) {
  std::int64_t fullest = 0;
  double most_B = 0.0;
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    const double B = memory_use(shape, plan, stage).total_B();
    if (B > most_B) most_B = B, fullest = stage;
  }
  return fullest;
}

double checkpoint_bytes(const ModelShape& shape) { return (weight_B + optimizer_B) * parameter_count(shape); }

}  // namespace TIDEWATT_NAMESPACE::workload
