#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tidewatt/mitigation/stagger.hpp"
#include "tidewatt/sim/task.hpp"
#include "tidewatt/workload/iteration.hpp"
#include "tidewatt/workload/jitter.hpp"

namespace tidewatt::sim {

/// A training job's action on the fleet: ranks, which GPU waits for which, and the resulting timeline.
///
/// A tensor-parallel group moves at its slowest GPU, a pipeline at its slowest stage (both through the replica's pace),
/// data parallelism at its slowest replica (through the timeline's gradient barrier). Replicas are sorted by pace into
/// groups that share their edges; a group moves at its slowest replica.
///
/// With jitter, iteration i lasts T (1 + x_i): x_i is drawn for the slowest of all replicas, a pure function of seed, job
/// and i (workload::Jitter), so redone iterations scatter as they did and neither threads nor steps move a draw. Group g
/// begins late by the g-th quantile of one replica's scatter (at most x_i); early groups wait at the gradient norm.
/// A jump over n iterations moves heat and energy at their mean excess, exact in time to n ns; the site's waveform gets
/// each iteration at its own length where it is recorded (windows, the spectrum), from `single`: only waiting
/// differs, so the energies add up to the jump's. What scatters broadens the site's lines and lowers their harmonics.
///
/// With a beat (mitigation::beat_end) an iteration's excess is what it waits for the beat, or its jitter where that is more.
class TrainingTask {
 public:
  struct Options {
    std::int64_t replica_groups = 4;
    bool gating = true;
    PowerHold hold;  ///< GPU smoothing and ballast
    std::optional<workload::Jitter> jitter;
    std::optional<mitigation::BeatParams> beat;
    std::vector<double> host_slowness;  ///< [node of the job] compute time ÷ that of a healthy host; empty: all healthy
  };
  /// @param first_node where the job's ranks begin  @throws InputError if a node would hold several pipeline stages
  TrainingTask(workload::IterationModel model, const Fleet& fleet, std::size_t first_node, Options options);

  enum class Work { iterate, evaluate };
  /// Sets `task` to one repetition of the work at the clocks that the fleet can hold now.
  /// @param ahead_s expected length of the step  @param iteration its index, for its jitter  @param begin for its beat
  void set_work(Work work, std::int64_t batches, FleetState& state, double ahead_s, FleetSignals& signals,
                FleetTask& task, std::int64_t iteration = 0, Tick begin = 0);
  /// Whether iterations differ in length.
  bool scatters() const { return keeps_beat() || (options_.jitter && !options_.jitter->none()); }
  bool keeps_beat() const { return options_.beat.has_value(); }
  /// Whether the work just set lasts longer without waiting than its beat allows.
  bool misses_beat() const { return keeps_beat() && plain_period_ > to_tick(options_.beat->period_s); }
  /// Sets the task's timeline to the mean of `count` iterations from `first` on, which begin at `begin`.
  void set_mean(std::int64_t first, std::int64_t count, Tick begin, FleetTask& task);
  /// The timelines of the iterations that `set_mean` was last asked for, one by one; their periods add up to `count` means.
  std::vector<workload::Timeline> singles() const;
  /// Sets `task` to a constant state of all ranks (initialise, load, stall, down, …). The task's timeline lies in here.
  /// @param busy_frac share of the replicas, the first ones, that do it; the others wait for them with spinning kernels
  void set_hold(const workload::PhaseKind& kind, Tick duration, FleetState& state, FleetSignals& signals,
                FleetTask& task, double busy_frac = 1.0);

  /// Adds what all ranks do in the pauses of a jump.
  void add_pause(const workload::PhaseKind& kind, FleetTask& task) const;

  const workload::IterationModel& model() const { return model_; }
  const workload::Timeline& timeline() const { return timeline_; }
  double iteration_reference_s() const { return iterate_window_.period_s; }  ///< at the reference clock
  double nominal_hold_W(const workload::PhaseKind& kind, const FleetState& state) const;  ///< of one GPU in a constant state
  /// Clock of the slowest GPU of the last task.
  double slowest_Hz() const { return slowest_Hz_; }
  /// Whether another repetition of the work just set would hold its GPUs' power alike: false while slow ramps still move.
  bool settled() const { return settled_; }
  /// The work just set was cut `at` ticks after its beginning: smoothing and ballast keep their state of that moment.
  void cut(Tick at);
  /// The GPUs lost their power: smoothing and ballast start anew with the next task.
  void forget_hold() { node_hold_.clear(); }
  template <class A>
  void archive(A& a) {
    a(slowest_Hz_, node_hold_);
  }
  std::size_t n_node() const { return node_stage_.size(); }
  /// Pipeline stage of a node of the site; −1: not the job's.
  std::int64_t stage_of_node(std::size_t n) const { return n < first_node_ || n - first_node_ >= n_node() ? -1 : node_stage_[n - first_node_]; }
  /// Replica of a node of the site; −1: not the job's.
  std::int64_t replica_of_node(std::size_t n) const { return n < first_node_ || n - first_node_ >= n_node() ? -1 : node_replica_[n - first_node_]; }

 private:
  workload::Scatter scatter(Tick excess, Tick least) const;
  Tick excess_of(std::int64_t iteration, Tick begin) const;
  void split_hold(Tick duration, double busy_frac, FleetTask& task);
  void split_by_memory(FleetTask& task);
  void hold(FleetTask& task, std::uint32_t wait_kind, bool works, const Controls& controls);
  struct Windows {
    std::vector<dvfs::PhaseMix> mix;  ///< [stage] worst window
    double period_s = 0.0;
    std::vector<double> mean_W;       ///< [stage] mean power of a nominal chip, the first guess after a cold start
  };
  Windows stage_windows(const workload::Timeline& at_reference) const;

  workload::IterationModel model_;
  const Fleet& fleet_;
  std::size_t first_node_;
  Options options_;
  std::vector<std::int64_t> node_stage_, node_replica_;  ///< [node of the job]
  Windows iterate_window_, evaluate_window_;
  workload::Timeline timeline_;
  std::vector<double> pace_;     ///< [replica group] of the work just set
  Tick plain_period_ = 0;        ///< of that work without jitter
  std::vector<Tick> excess_;     ///< of the iterations of the last mean
  double slowest_Hz_ = 0.0;
  std::vector<HoldState> node_hold_;  ///< [node of the job] state of its GPUs' held power after the last task
  // Of the task just set.
  std::vector<HoldState> class_begin_;                       ///< [class]
  std::vector<std::vector<HeldTimeline::Mark>> class_marks_;  ///< [class]
  std::vector<std::uint32_t> hold_class_;                     ///< [node of the job]
  bool settled_ = true;
};

/// A GPU without work and without context.
workload::PhaseKind idle_kind();

/// Sets `task` to a constant state of a range of nodes; `timeline` receives it and must outlive the task.
void hold_task(const workload::PhaseKind& kind, Tick duration, double reference_Hz, const Fleet& fleet,
               std::size_t first_node, std::size_t n_node, workload::Timeline& timeline, FleetTask& task);

}  // namespace tidewatt::sim
