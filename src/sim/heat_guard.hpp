#pragma once
// Private to sim: dies that no limiter keeps below their shutdown temperature. Their nodes switch themselves off.
#include "job.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Checks the hottest die of an occupant's nodes, and keeps the nodes that are off.
class HeatGuard {
 public:
  /// Steps by `stride` until a die is beyond its limit, and finds the time to `within`.
  struct Search {
    Tick stride, within;
  };
  /// Whether the hottest die is near its shutdown temperature; nearer counts where plates miss their flow.
  bool hot(const Job& job) const;
  /// Until the hottest die would be shut down if it went on as in the last step. Far from there nothing asks, since starts are
  /// steep, but plates that miss their flow warm by several kelvins a second, whatever the clock.
  double near_s(const Job& job) const;
  /// Until air or liquid that warm as they do now have taken the hottest die to its shutdown temperature; infinite: they do not warm.
  double coolant_s(const Job& job) const;
  /// Longest step of a constant state in which no die passes its limit unseen.
  double longest_hold_s(const Job& job) const;
  /// Whether the hottest die may pass its shutdown temperature within this time of work.
  bool may_end_work(const Job& job, double within_s, const StepContext& c) const;
  /// When the first die of the coming iteration passes its shutdown temperature, from now; 0: not within `most`.
  Tick end(const Job& job, double begun_frac, Tick most, Search search, const StepContext& c) const;
  /// Nodes that have switched themselves off can be started again once they are below the slowdown temperature.
  void reset_nodes(const Job& job, const StepContext& c) const;
  /// Whether nodes that fell by heat cannot be started yet: they or their coolant are too hot, plates miss their flow, or the job has
  /// been restarted as often as it may while parts of its plant are out.
  bool cannot_start(const Job& job, const StepContext& c) const;
  /// After a step: nodes with a GPU beyond its shutdown temperature switch themselves off, whatever they were doing, and take their
  /// job with them. It starts again when all of them can.
  void watch(Job& job, Tick run_out, StepContext& c);

  struct State {
    double margin_K = 1e300;           ///< the hottest die's, below its shutdown temperature
    double approach_K_per_s = 0.0;     ///< how fast that shrank in the last steps
    Tick last_off = -3600 * ns_per_s;  ///< when a node last switched itself off
    std::int64_t n_fall = 0;           ///< interruptions by heat since the plant was last whole
    template <class A>
    void archive(A& a) {
      auto& [margin, approach, last, falls] = *this;
      a(margin, approach, last, falls);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
