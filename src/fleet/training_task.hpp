#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "hall_limits.hpp"
#include "held_nodes.hpp"
#include "iteration_scatter.hpp"
#include "replica_groups.hpp"
#include "task.hpp"
#include "workload/job_state.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Which replicas or hosts take part in a constant state.
struct HoldShare {
  double busy_frac = 1.0;  ///< the first ones
  bool rest_waits = true;  ///< the others: wait for them with spinning kernels; false: have no process
  bool by_host = false;    ///< false: replicas
  workload::HostSpread hosts{};
};

/// A training job's action on the fleet: ranks, which GPU waits for which, and the resulting timeline.
///
/// A tensor-parallel group moves at its slowest GPU, a pipeline at its slowest stage (both through the replica's pace),
/// data parallelism at its slowest replica (through the timeline's gradient barrier). Replicas are sorted into groups that share
/// their edges (group_replicas); a group moves at its slowest replica.
///
/// A jump over n iterations that scatter (IterationScatter) moves heat and energy at their mean excess, exact in time to n ns; the
/// site's waveform gets each iteration at its own length where it is recorded (windows, the spectrum), from `singles`: only waiting
/// differs, so the energies add up to the jump's. What scatters broadens the site's lines and lowers their harmonics.
class TrainingTask {
 public:
  struct Options {
    std::int64_t replica_groups = 4;
    bool gating = true;
    bool single_chips = false;  ///< clocks by time of single chips are asked for
    PowerHold hold;             ///< GPU smoothing and ballast
    std::optional<workload::Jitter> jitter;
    std::optional<mitigation::BeatParams> beat;
    std::vector<double> host_slowness;  ///< [node of the job] compute time ÷ that of a healthy host; empty: all healthy
  };
  /// @param first_node where the job's ranks begin  @throws InputError if a node would have several pipeline stages
  TrainingTask(workload::IterationModel model, const Fleet& fleet, std::size_t first_node, Options options);

  enum class Work { iterate, evaluate };
  /// Sets `task` to one repetition of the work at the clocks that the fleet's limits allow now.
  /// @param ahead_s expected length of the step  @param iteration its index, for its jitter  @param begin for its beat
  /// @param pair_within two iterations become one task if smoothed power alternates and both together are no longer than this; 0:
  /// never
  void set_work(Work work, std::int64_t batches, FleetState& state, double ahead_s, FleetSignals& signals,
                FleetTask& task, std::int64_t iteration = 0, Tick begin = 0, Tick pair_within = 0);
  /// Whether iterations differ in length.
  bool scatters() const { return scatter_.any(); }
  bool keeps_beat() const { return scatter_.keeps_beat(); }
  /// Whether the work just set lasts longer without waiting than its beat allows.
  bool misses_beat() const { return scatter_.misses_beat(); }
  /// What smoothing or ballast keeps of a floor or level above the power limit, W; 0: none is above it.
  double hold_gives_way_W() const { return held_.gives_way_W(); }
  /// Sets the task's timeline to the mean of `count` iterations from `first` on, which begin at `begin`.
  void set_mean(std::int64_t first, std::int64_t count, Tick begin, FleetTask& task);
  /// The timeline of each iteration of the last `set_mean`; their periods add up to `count` means.
  std::vector<workload::Timeline> singles() const;
  /// Sets `task` to a constant state of all ranks (initialise, load, stall, down, …). The task's timeline is stored here.
  void set_hold(const workload::PhaseKind& kind, Tick duration, FleetState& state, FleetSignals& signals,
                FleetTask& task, const HoldShare& share = {});
  /// After set_work for an iteration: the replica of a node stands still and waits, as ranks do whose neighbour has failed. Under
  /// GPU smoothing or ballast, whose states follow all replicas alike, it is left as it was.
  /// @param node of the job; -1: the first
  void stop_replica(std::int64_t node, FleetTask& task);
  /// Ticks from an iteration's begin at which the last replica enters the gradients' exchange; 0: one replica exchanges nothing.
  Tick exchange() const;

  /// Adds what all ranks do in the pauses of a jump.
  void add_pause(const workload::PhaseKind& kind, FleetTask& task) const;

  const workload::IterationModel& model() const { return model_; }
  const workload::Timeline& timeline() const { return timeline_; }
  double iteration_reference_s() const { return iterate_window_.period_s(); }  ///< at the reference clock
  /// Of one GPU in a constant state.
  double nominal_hold_W(const workload::PhaseKind& kind, const FleetState& state) const;
  /// Clock of the slowest GPU of the last task, over the slowness of its host.
  double slowest_Hz() const { return state_.slowest_Hz; }
  /// Mean of the clocks that the GPUs of the last task would have alone, without waiting for the slowest; each over its host's slowness.
  double alone_Hz() const { return state_.alone_Hz; }
  /// Whether another repetition of the work just set would have the same GPU power: false while slow ramps continue.
  bool settled() const { return held_.settled(); }
  /// What of GPU power smoothing acts, in s per s of the work just set.
  const SmoothingActs& smoothing_acts() const { return held_.acts(); }
  /// The work just set was cut `at` ticks after its beginning: smoothing and ballast keep their state of that time.
  void cut(Tick at) { held_.cut(at); }
  /// The GPUs lost their power: smoothing and ballast restart with the next task.
  void forget_hold() { held_.forget(); }
  std::size_t n_node() const { return ranks_.stage.size(); }
  /// Pipeline stage of a node of the site; −1: not the job's.
  std::int64_t stage_of_node(std::size_t n) const { return ranks_.has(n) ? ranks_.stage[n - ranks_.first_node] : -1; }
  /// Replica of a node of the site; −1: not the job's.
  std::int64_t replica_of_node(std::size_t n) const {
    return ranks_.has(n) ? ranks_.replica[n - ranks_.first_node] : -1;
  }

  struct State {
    double slowest_Hz = 0.0, alone_Hz = 0.0;
    template <class A>
    void archive(A& a) {
      auto& [slowest, alone] = *this;
      a(slowest, alone);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_, held_);
  }

 private:
  /// Which ranks a node has.
  struct Ranks {
    std::size_t first_node;
    std::vector<std::int64_t> stage, replica;  ///< [node of the job]
    std::vector<std::size_t> halls;            ///< in which it has nodes
    bool has(std::size_t n) const { return n >= first_node && n - first_node < stage.size(); }
  };
  void ask_alone(StageWindows& window, FleetState& state, double ahead_s, FleetSignals& signals, FleetTask& task) const;
  ReplicaGroups groups_now(const FleetState& state, std::span<const double> rated_Hz);
  void split_hold(Tick duration, const HoldShare& share, FleetTask& task);
  const NodeType& type() const { return fleet_.types[ranks_.halls.front()]; }
  Controls controls(const FleetState& state) const { return tightest(state.controls, ranks_.halls); }
  std::size_t n_stage() const { return static_cast<std::size_t>(model_.n_stage()); }
  std::size_t n_replica() const { return static_cast<std::size_t>(model_.dp()); }

  workload::IterationModel model_;
  const Fleet& fleet_;
  Options options_;
  Ranks ranks_;
  HallLimits limits_;
  StageWindows iterate_window_, evaluate_window_;
  IterationScatter scatter_;
  HeldNodes held_;
  State state_;
  // Of the task just set.
  workload::Timeline timeline_;
  std::vector<double> pace_;  ///< [replica group]
};

/// A GPU without work and without context.
workload::PhaseKind idle_kind();

/// Sets `task` to a constant state of a range of nodes; `timeline` receives it and must outlive the task.
void hold_task(const workload::PhaseKind& kind, Tick duration, double reference_Hz, const Fleet& fleet,
               std::size_t first_node, std::size_t n_node, workload::Timeline& timeline, FleetTask& task);

}  // namespace TIDEWATT_NAMESPACE::fleet
