#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// What a plan is chosen for.
struct PlanRequest {
  std::int64_t n_gpu = 0;               ///< GPUs of the job, count
  std::int64_t gpus_per_server = 8;     ///< count; a server has one pipeline stage
  std::int64_t sequence_tokens = 8192;  ///< tokens per sequence
  std::string precision = "bf16";       ///< format of the linear layers, as in ParallelPlan
};

/// The fastest plan that fits, by tokens per second at the reference clock. It fits if its fullest GPU holds weights, gradients,
/// optimizer and activations without any doubt about the estimate; recomputation is used only where none fits without. Compared are
/// groups tp × pp up to eight times the smallest that fits, every ep, both rank orders, and up to 8 chunks per pipeline stage. tp
/// and ep are powers of 2; no group lies across two scale-up domains of several servers. Layers are left out of the first and last
/// chunk where they do not divide. Replicas get 1 to 4 micro-batches per stage, nearest to 16 M tokens per iteration
/// (arXiv 2407.21783 §3.4); plans with more than four times that are taken only where no other fits.
/// @returns nothing if no plan of `n_gpu` GPUs fits
std::optional<ParallelPlan> choose_plan(const ModelShape& shape, const ComputeParams& gpu, const NetworkParams& network,
                                        const PlanRequest& request);

}  // namespace TIDEWATT_NAMESPACE::workload
