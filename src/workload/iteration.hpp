#pragma once
#include <array>
#include <span>

#include "layer_cost.hpp"
#include "schedule.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Scatter of the replicas of one iteration about their schedule (see Jitter).
struct Scatter {
  std::vector<Tick> late;  ///< [replica group] delay of its begin, 0 … excess; empty: none is late
  Tick excess = 0;         ///< by how much all meet later at the gradient norm than they would without scatter
};

/// One training iteration as an explicit pipeline schedule, at any clock. Const: may be shared by threads.
///
/// Each replica runs (interleaved) 1F1B; a pass takes matrix_s/pace + memory_s + link_s. A chunk's gradients queue on
/// the stage's network link once every replica has finished the chunk's last backward (or after the whole backward,
/// without overlap). All meet at the gradient norm, step their shard, and gather the weights of the first chunks.
/// Then all wait for the host, `host_gap_s` of the compute entry. Early ranks wait. Assumptions: identical replicas inside a group; loss
/// scaling and data loading are not on the critical path beyond that gap; hidden communication costs no power.
class IterationModel {
 public:
  /// @throws InputError with every reason if the plan is impossible.
  IterationModel(ModelShape shape, ParallelPlan plan, ComputeParams gpu, NetworkParams network);

  /// @param pace  relative, [group]: clock of the replica group's slowest GPU ÷ reference clock, > 0; 1 … dp groups.
  /// Class index: group × n_stage + stage; every class adds up to `period` exactly.
  /// @throws InputError for more groups than replicas or a pace not above 0
  Timeline iteration(std::span<const double> pace) const { return iteration(pace, {}); }
  /// The same with replicas that scatter: late ones work later, early ones wait for the slowest, and the period is
  /// `excess` longer to the nanosecond, whatever overlap might have hidden.
  /// @param pace relative, [group]  @throws InputError as above, and for lateness beyond the excess
  Timeline iteration(std::span<const double> pace, const Scatter& scatter) const;
  /// Forward passes over `batches` global batches, then a barrier.
  /// @param pace relative, [group], as above  @throws InputError as above, or without a batch
  Timeline evaluation(std::span<const double> pace, std::int64_t batches) const;

  const ModelShape& shape() const { return shape_; }
  const ParallelPlan& plan() const { return plan_; }
  std::span<const PhaseKind> kinds() const { return kinds_; }  ///< of `iteration` and `evaluation`
  std::int64_t n_stage() const { return plan_.pp; }
  std::int64_t dp() const { return plan_.dp(); }
  std::int64_t n_gpu() const { return plan_.n_gpu; }
  std::int64_t gpus_per_stage() const { return plan_.tp * plan_.cp; }  ///< of one replica
  /// Pipeline stage of a rank, 0 … n_gpu − 1.
  std::int64_t stage_of_gpu(std::int64_t rank) const;
  /// Data-parallel replica of a rank, 0 … n_gpu − 1.
  std::int64_t replica_of_gpu(std::int64_t rank) const;
  /// Global batch times sequence length, count.
  double tokens_per_iteration() const { return plan_.tokens_per_iteration(); }
  /// 3 × forward FLOPs of all tokens, recomputation not counted; 2 × for linear layers with frozen weights (adapters).
  double model_flops_per_iteration(AttentionCount count = AttentionCount::causal) const;
  /// The same with attention as a full square and with what the plan computes again: layers, or their attention core.
  double hardware_flops_per_iteration() const;
  /// Clock at which all work is counted.
  double reference_clock_Hz() const { return gpu_.reference_clock_Hz; }
  /// Bytes of a checkpoint of the whole model, see memory.hpp.
  double model_checkpoint_bytes() const;

 private:
  /// What the other replicas need to know of one replica's passes at one pace.
  struct Replica {
    std::vector<Tick> stage_end;    ///< [stage]
    std::vector<Tick> chunk_ready;  ///< [virtual stage] end of the last backward
    std::vector<Tick> chunk_first;  ///< [virtual stage] start of the first forward
  };
  struct Sync;
  void make_kinds(const NetworkParams& network);
  void make_early_kinds(const NetworkParams& network);
  PassCost chunk_cost(const NetworkParams& network, std::int64_t k) const;
  void make_exchange(const NetworkParams& network);
  /// @param ends room, reused from replica to replica  @param classes [stage] takes the passes and the waits between them
  Replica run(const PipelineSchedule& schedule, double pace, std::vector<Tick>& ends,
              std::vector<Segment>* classes) const;
  Sync synchronise(const std::vector<Replica>& replicas) const;
  Sync delayed(const Sync& sync, std::vector<Replica> of_group, const Scatter& scatter) const;
  void emit_sync(const Replica& replica, const Sync& sync, std::vector<Segment>* classes) const;

  ModelShape shape_;
  ParallelPlan plan_;
  ComputeParams gpu_;
  PipelineSchedule schedule_;
  std::vector<PhaseKind> kinds_;
  std::vector<std::uint32_t> pass_kind_;  ///< [virtual stage] kind of its forward pass; the backward pass is the next
  Tick transfer_ = 0;
  std::vector<Tick> exchange_;   ///< [virtual stage] gradient reduce-scatter or all-reduce
  std::vector<Tick> gather_;     ///< [virtual stage] weight all-gather
  std::vector<Tick> optimizer_;  ///< [stage]
  Tick norm_ = 0;                ///< gradient-norm reduction over all ranks
};

}  // namespace TIDEWATT_NAMESPACE::workload
