#pragma once
#include <cstdint>
#include <optional>

#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// What a plan is chosen for.
struct PlanRequest {
  std::int64_t n_gpu = 0;               ///< GPUs of the job, count
  std::int64_t gpus_per_server = 8;     ///< count; a server has one pipeline stage
  std::int64_t sequence_tokens = 8192;  ///< tokens per sequence
};

/// A plan that fits: the smallest tp × pp (then ep) whose fullest GPU holds weights, gradients, optimizer and activations
/// without any doubt about the estimate; with recomputation only where none fits without. tp is a power of 2 within an NVLink
/// domain, stages are interleaved twice where the layers divide, layers are left out of the first and last chunk where they
/// do not. Replicas get 1 to 4 micro-batches per stage, nearest to 16 M tokens per iteration (arXiv 2407.21783 §3.4).
/// @returns nothing if no plan of `n_gpu` GPUs fits
std::optional<ParallelPlan> choose_plan(const ModelShape& shape, const ComputeParams& gpu, const NetworkParams& network,
                                        const PlanRequest& request);

}  // namespace TIDEWATT_NAMESPACE::workload
