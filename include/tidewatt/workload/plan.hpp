#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/model.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Distribution of a model over GPUs, and division of one iteration. Data parallelism follows from it:
/// dp = n_gpu / (tp·cp·pp); micro-batches per replica m = global batch / (dp · micro batch).
struct TIDEWATT_API ParallelPlan {
  std::int64_t n_gpu = 0;  ///< GPUs of the job; "all" in a scenario: every GPU of the halls
  std::int64_t tp = 1;     ///< tensor parallel ranks, inside a scale-up domain
  std::int64_t cp = 1;     ///< context parallel ranks: the sequence is cut
  std::int64_t pp = 1;     ///< pipeline stages
  std::int64_t ep = 1;     ///< expert parallel ranks, taken from tp × cp × dp: each has experts/ep whole experts
  std::int64_t virtual_stages = 1;          ///< model chunks per pipeline stage (interleaving)
  std::int64_t micro_batch_sequences = 1;   ///< sequences per micro-batch
  std::int64_t global_batch_sequences = 0;  ///< sequences per iteration
  std::int64_t sequence_tokens = 0;         ///< tokens per sequence
  std::int64_t layers_removed_first = 0;    ///< layers left out of the first chunk, which also embeds
  std::int64_t layers_removed_last = 0;     ///< layers left out of the last chunk, which also has the head
  std::int64_t gradient_bytes = 4;          ///< per weight in the gradient exchange: 2 (bf16) or 4 (fp32)
  bool sequence_parallel = false;           ///< norms and dropout are cut over tp
  bool fused_attention = false;             ///< scores never leave the chip and the masked half is skipped
  bool dp_overlap = false;                  ///< gradient exchange of a chunk starts after its last backward
  bool pp_overlap = false;                  ///< stages do not block while they send
  double tp_overlap_frac = 0.0;             ///< share of tensor-parallel communication hidden behind matrix products
  double ep_overlap_frac = 0.0;             ///< share of expert dispatch and combine hidden behind other work
  double expert_imbalance_ratio = 1.0;  ///< tokens of the busiest expert rank ÷ mean; the capacity factor where tokens
                                        ///< above it are dropped
  std::string precision = "bf16";  ///< bf16 | fp8 | mxfp8 | nvfp4: linear layers (attention, head, gradients stay bf16)
  /// Low-rank adapters (arXiv 2106.09685): each linear layer in → out trains rank·(in + out) weights beside its frozen
  /// ones; no weight gradient, gradient exchange or optimizer state of the frozen ones. 0: everything is trained.
  std::int64_t adapter_rank = 0;
  std::string adapter_layers = "all";  ///< all | attention: linear layers that have adapters
  /// none | selective (attention core) | operators (all but attention and every second matrix product, arXiv 2410.06511) | full
  std::string recompute = "none";
  std::string kernels = "fused";  ///< fused | eager: norms, gated activation and rotary positions, see layer_cost
  std::string sharding = "none";  ///< none | zero1 | zero2 | fsdp (weights gathered once per iteration) |
                                  ///< zero3 (weights gathered in every pass)
  std::string rank_order = "tp-cp-dp-pp";  ///< tp-cp-dp-pp (Megatron, NeMo, torchtitan) | tp-cp-pp-dp (Llama 3)

  void fields(FieldVisitor& v);
  std::int64_t dp() const { return n_gpu / (tp * cp * pp); }
  std::int64_t micro_batches() const { return global_batch_sequences / (dp() * micro_batch_sequences); }
  std::int64_t virtual_stage_count() const { return pp * virtual_stages; }
  /// Tokens of a micro-batch on one context-parallel rank.
  double micro_batch_tokens_per_gpu() const;
  /// Global batch times sequence length, count.
  double tokens_per_iteration() const;
  /// Whether the ranks of a pipeline stage are neighbours. With one stage or one replica both rank orders are this placement.
  bool replicas_adjacent() const;
  /// Neighbouring ranks of one pipeline stage, count: tp × cp, or tp × cp × dp where replicas are adjacent.
  std::int64_t stage_ranks() const { return tp * cp * (replicas_adjacent() ? dp() : 1); }
  RankGroup tp_group() const { return {tp, 1}; }
  RankGroup cp_group() const { return {cp, tp}; }
  RankGroup pp_group() const;
  /// Ranks with the same weights, which exchange gradients: data × context parallel.
  RankGroup gradient_group() const;
  /// Ranks over which one set of experts is distributed: first inside tp × cp, then over replicas.
  RankGroup ep_group() const;
  /// Ranks with the same experts.
  RankGroup expert_gradient_group() const;
  /// Format of the linear layers.
  Precision linear_precision() const;
};

/// GPUs of each scale-up domain that a plan uses, count: the largest multiple of its innermost block that fits. The block is
/// the largest of tp, tp × cp and ep (if expert ranks are neighbours) that fits the domain. The rest of the domain is spare:
/// with blocks of 64, 8 GPUs of 72. A domain of one node is used as it is.
TIDEWATT_API std::int64_t domain_gpus_used(const ParallelPlan& plan, const NetworkParams& network);

/// Layers in virtual stage k (0 … pp·v - 1), less the layers removed from the first and last stage.
TIDEWATT_API std::int64_t layers_in_virtual_stage(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k);
/// How many of them are dense: the model's first `dense_layers` fill the first virtual stages.
TIDEWATT_API std::int64_t dense_layers_in_virtual_stage(const ModelShape& shape, const ParallelPlan& plan,
                                                        std::int64_t k);

/// Findings with the numbers for everything that makes the plan impossible: GPU count, divisibility, batch, memory.
/// Keys are `path`.`field`.
TIDEWATT_API std::vector<Finding> check_plan(const ModelShape& shape, const ParallelPlan& plan,
                                             const ComputeParams& gpu, const NetworkParams& network,
                                             const std::string& path = "plan");
/// The same for a plan on servers, which its ranks fill one after another: also whole servers, and no server with ranks of several
/// pipeline stages. Scenarios and published runs are held to this one check.
/// @param gpus_per_server count, at least 1
TIDEWATT_API std::vector<Finding> check_plan_on_servers(const ModelShape& shape, const ParallelPlan& plan,
                                                        const ComputeParams& gpu, const NetworkParams& network,
                                                        std::int64_t gpus_per_server, const std::string& path = "plan");

/// Uncertainty of the memory estimate. The estimate counts every tensor of the schedule. Allocators, tensors freed early and a
/// loss computed in pieces change the real need, so a plan is refused only above this.
inline constexpr double memory_uncertainty_frac = 0.25;
/// A text about the memory of a plan that exceeds the GPU's memory by less than this uncertainty; empty if the plan fits. The
/// plan must have passed check_plan.
TIDEWATT_API std::optional<std::string> memory_doubt(const ModelShape& shape, const ParallelPlan& plan,
                                                     const ComputeParams& gpu);

}  // namespace TIDEWATT_NAMESPACE::workload
