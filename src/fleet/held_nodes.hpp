#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "smoothing_acts.hpp"
#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Smoothing and ballast of a job's GPUs, from task to task. Every task begins in the state that the last one left, so no edge
/// between two tasks is steeper than a ramp allows. All GPUs of a node have the same smoothing state.
class HeldNodes {
 public:
  /// No task yet. @param n_node of the job
  HeldNodes(const PowerHold& hold, std::size_t n_node) : hold_(hold), n_node_(n_node) {}
  bool any() const { return hold_.any(); }
  /// Applies smoothing and ballast to a task's power; `timeline` becomes the smoothed one. Burned power counts against the board
  /// limit like work. If both together exceed it, the governor lowers the clock of the work until their mean is at the limit. In a task
  /// with courses, these are the courses of the held timeline (StageCourses); without courses, work is kept below a peak.
  /// @param type of the nodes  @param wait_kind kind that waits  @param works false: a constant state, in which nothing is delayed
  /// @param pair_within if the next iteration ends in the state in which this one began, and both are no longer than this, they become
  /// one task; 0: never
  void apply(workload::Timeline& timeline, FleetTask& task, const NodeType& type, const Controls& controls,
             std::uint32_t wait_kind, bool works, Tick pair_within);
  /// GPUs with different smoothing states continue differently: gives a constant state one class per smoothing state.
  void split(workload::Timeline& timeline, FleetTask& task) const;
  /// The task was cut `at` ticks after its beginning: smoothing and ballast keep their state of that time.
  void cut(Tick at);
  /// The GPUs lost their power: smoothing and ballast restart with the next task.
  void forget() { state_.node.clear(); }
  /// Whether another repetition of the task would have the same GPU power: false while slow ramps continue.
  bool settled() const { return last_.settled; }
  /// What is kept of a floor or a level above the limit in the last task, W; 0: none is above it.
  double gives_way_W() const { return last_.gives_way_W; }
  /// Time for which each part of the smoothing acts, in s per s of the last task.
  const SmoothingActs& acts() const { return last_.acts; }

  struct State {
    std::vector<HoldState> node;  ///< [node of the job] after the last task; empty: none yet
    template <class A>
    void archive(A& a) {
      auto& [nodes] = *this;
      a(nodes);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  double apart_W(std::span<const HoldState> a, std::span<const HoldState> b, std::span<const double> n_in) const;
  std::vector<double> begin_classes(const FleetTask& task, std::size_t n_class);
  PowerHold hold_;
  std::size_t n_node_;
  State state_;
  /// The last task; overwritten by each.
  struct Last {
    std::vector<HoldState> begin;                        ///< [class]
    std::vector<std::vector<HeldTimeline::Mark>> marks;  ///< [class]
    std::vector<std::uint32_t> node_class;               ///< [node of the job]
    SmoothingActs acts;                                  ///< per second
    double gives_way_W = 0.0;
    bool settled = true;
  } last_;
};

}  // namespace TIDEWATT_NAMESPACE::fleet
