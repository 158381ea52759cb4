#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tidewatt/sim/task.hpp"
#include "tidewatt/workload/iteration.hpp"

namespace tidewatt::sim {

/// Lets a training job act on the fleet: who is which rank, who gates whom, and the timeline that follows.
///
/// A tensor-parallel group moves at its slowest GPU, a pipeline at its slowest stage (both through the replica's pace),
/// data parallelism at its slowest replica (through the timeline's gradient barrier). Replicas are sorted by pace into
/// groups that share their edges; a group moves at its slowest replica.
class TrainingTask {
 public:
  struct Options {
    std::int64_t replica_groups = 4;
    bool gating = true;
    std::optional<mitigation::GpuSmoothingParams> smoothing;
    std::vector<double> host_slowness;  ///< [node of the job] compute time ÷ that of a healthy host; empty: all healthy
  };
  /// @param first_node where the job's ranks begin  @throws InputError if a node would hold several pipeline stages
  TrainingTask(workload::IterationModel model, const Fleet& fleet, std::size_t first_node, Options options);

  enum class Work { iterate, evaluate };
  /// Sets `task` to one repetition of the work at the clocks that the fleet can hold now.
  /// @param ahead_s expected length of the step
  void set_work(Work work, std::int64_t batches, FleetState& state, double ahead_s, FleetSignals& signals,
                FleetTask& task);
  /// Sets `task` to a constant state of all ranks (initialise, load, stall, down, …). The task's timeline lies in here.
  void set_hold(const workload::PhaseKind& kind, Tick duration, FleetState& state, FleetSignals& signals,
                FleetTask& task);

  const workload::IterationModel& model() const { return model_; }
  const workload::Timeline& timeline() const { return timeline_; }
  /// Clock of the slowest GPU of the last task.
  double slowest_Hz() const { return slowest_Hz_; }
  template <class A>
  void archive(A& a) {
    a(slowest_Hz_, smoothing_, held_);
  }
  std::size_t n_node() const { return node_stage_.size(); }
  /// Pipeline stage of a node of the site; −1: not the job's.
  std::int64_t stage_of_node(std::size_t n) const { return n < first_node_ || n - first_node_ >= n_node() ? -1 : node_stage_[n - first_node_]; }
  /// Replica of a node of the site; −1: not the job's.
  std::int64_t replica_of_node(std::size_t n) const { return n < first_node_ || n - first_node_ >= n_node() ? -1 : node_replica_[n - first_node_]; }

 private:
  void smooth(FleetTask& task, std::uint32_t wait_kind, bool repeats);
  std::vector<dvfs::PhaseMix> stage_windows(const workload::Timeline& at_reference) const;

  workload::IterationModel model_;
  const Fleet& fleet_;
  std::size_t first_node_;
  Options options_;
  std::vector<std::int64_t> node_stage_, node_replica_;  ///< [node of the job]
  std::vector<dvfs::PhaseMix> iterate_window_, evaluate_window_;  ///< [stage]
  workload::Timeline timeline_;
  double slowest_Hz_ = 0.0;
  mitigation::SmoothingState smoothing_;  ///< where the GPUs' smoothed power stands after the last task
  bool held_ = true;                      ///< the last task was a constant state
};

/// A GPU without work and without context.
workload::PhaseKind idle_kind();

/// Sets `task` to a constant state of a range of nodes; `timeline` receives it and must outlive the task.
void hold_task(const workload::PhaseKind& kind, Tick duration, double reference_Hz, const Fleet& fleet,
               std::size_t first_node, std::size_t n_node, workload::Timeline& timeline, FleetTask& task);

}  // namespace tidewatt::sim
