#pragma once
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Memory of one GPU of a stage, bytes.
struct MemoryUse {
  double weights_B = 0.0;      ///< bf16; frozen ones in the linear layers' format
  double gradients_B = 0.0;    ///< cut over the replicas by zero2 and fsdp
  double optimizer_B = 0.0;    ///< fp32 copy and two moments, cut by any sharding
  double activations_B = 0.0;  ///< of all micro-batches in flight
  /// All of it.
  double total_B() const { return weights_B + gradients_B + optimizer_B + activations_B; }
};

/// Stored activation bytes per token of one layer on one GPU, bf16 (Korthikanti et al. 2022, generalised):
///   u (8h + 2h [dropout])  +  (4h + 4h_kv + ...)/t  +  attention core a s (5 | 2)/t,  u = 1/t with sequence
///   parallelism
/// For a GPT block this is h (10 + 24/t + 5 a s/(h t)); a gated block stores 6 ffn instead of 4 ffn; fused attention
/// stores no core, selective recomputation drops it, full recomputation keeps the layer's input only. An expert layer
/// stores, for each of the k copies of a routed token, its input, its output and 6 expert widths. A frozen feed-forward
/// block without adapters has no weight gradient, so the input of its last product (2 ffn) is not stored.
double activation_bytes_per_token(const ModelShape& shape, const ParallelPlan& plan, LayerKind kind = LayerKind::dense);

/// Chunk passes whose activations stage r keeps at once: min(m, p - r), or min(m v, v p + p - 1 - 2 r) interleaved.
/// @returns count
double chunks_in_flight(const ParallelPlan& plan, std::int64_t stage = 0);

/// Activations of a stage: tokens · bytes · layers per chunk · chunks in flight. Reproduces the eight published values of
/// arXiv 2205.05198.
/// @returns B
double activation_bytes(const ModelShape& shape, const ParallelPlan& plan, std::int64_t stage = 0);

/// Memory of one GPU of a pipeline stage, at its maximum.
MemoryUse memory_use(const ModelShape& shape, const ParallelPlan& plan, std::int64_t stage = 0);

/// The stage that needs most: the first of a uniform model (most activations), a later one where the first layers are
/// dense and the rest have experts.
std::int64_t fullest_stage(const ModelShape& shape, const ParallelPlan& plan);

/// Weights on one GPU, by their distribution: `shared` are cut over tp and copied over dp × cp, `routed`
/// (experts) are cut over ep.
struct HeldWeights {
  double shared = 0.0, routed = 0.0;
  /// Both together, count.
  double total() const { return shared + routed; }
};
/// Weights of virtual stage k on one GPU.
HeldWeights virtual_stage_weights(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k);

/// Weights of one layer's adapters on one GPU, count: rank · (in + out) of each adapted linear layer, with the widths that
/// the GPU holds. Routed experts have none. 0 without adapters.
double adapter_parameters(const ModelShape& shape, const ParallelPlan& plan, LayerKind kind = LayerKind::dense);
/// Weights of virtual stage k on one GPU that are trained: all of them, or its layers' adapters.
HeldWeights trained_weights(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k);

/// Bytes of a checkpoint: bf16 weights, fp32 copy and two fp32 moments, 14 per parameter, whatever the sharding.
/// @returns B
double checkpoint_bytes(const ModelShape& shape);

}  // namespace TIDEWATT_NAMESPACE::workload
