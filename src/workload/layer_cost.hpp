#pragma once
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Forward and backward pass of one micro-batch on one GPU.
struct PassCost {
  Work forward;
  Work backward;
  /// Adds `times` as much of `o`. @param times dimensionless
  PassCost& add(const PassCost& o, double times = 1.0);
};

/// One transformer layer: four (or five) matrix products on T tokens cut over tp, attention on the whole sequence, the
/// memory-bound kernels between them, tensor-parallel collectives (all-gather + reduce-scatter, or all-reduce) of T h
/// twice per pass, context-parallel gathers of keys and values. Backward: data and weight gradients; no weight
/// gradients of frozen layers, whose adapters add two narrow products (`adapter_rank`); with recomputation the forward
/// pass (full), its attention core (selective) or all but this core and some products (operators) again. A parallel block (arXiv 2204.02311) joins the two products that
/// read the norm, and the two that end in the sum, and needs one collective pair per pass. An expert layer routes T/tp
/// tokens: router, dispatch and combine (all-to-all over ep), grouped products of whole experts, shared experts cut
/// over tp. zero3 gathers the layer's weights before each pass and scatters its gradients after the backward pass,
/// behind the layer's own work where `dp_overlap` is set.
PassCost layer_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                    const NetworkParams& network, LayerKind kind = LayerKind::dense);
/// Share of a dense layer's products that recomputation of `operators` does again: every second one in bf16, all in a narrow format,
/// whose products the rule does not know (torchtitan's policy, arXiv 2410.06511).
double products_again_frac(const ModelShape& shape, const ParallelPlan& plan);
/// Embedding look-up and its collective.
PassCost embedding_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                        const NetworkParams& network);
/// Last norm, output head and cross-entropy loss on V/tp columns.
PassCost head_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                   const NetworkParams& network);
/// One activation (or its gradient) from a stage to the next: each tensor-parallel rank sends its 1/tp share; without
/// sequence parallelism the receivers gather it over NVLink.
double stage_transfer_s(const ModelShape& shape, const ParallelPlan& plan, const NetworkParams& network);

}  // namespace TIDEWATT_NAMESPACE::workload
