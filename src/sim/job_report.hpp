#pragma once
// Private to sim: sums of an occupant.
#include "job.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Sums of a job so far.
struct JobFigures {
  double tokens = 0.0;             ///< of completed iterations
  double iterating_s = 0.0;        ///< time in iterations and their parts that count
  double iteration_s2 = 0.0;       ///< Σ time × length of the iterations then running
  double load_J = 0.0;             ///< at the AC inputs of its nodes
  double cap_over_W = 0.0;         ///< most that a GPU's mean over a step of work was above its power cap
  double cap_over_s = 0.0;         ///< GPU-seconds of work in such steps
  double worked_s = 0.0;           ///< GPU-seconds of work
  fleet::SmoothingActs smoothing;  ///< how long its parts acted
  template <class A>
  void archive(A& a) {
    a(tokens, iterating_s, iteration_s2, load_J, cap_over_W, cap_over_s, worked_s, smoothing);
  }
};

/// Hands on what each step of an occupant gave: load to the site, heat to the halls, figures and events to the recorder.
class JobReport {
 public:
  /// The step's load to the site, its heat to the halls, its figures to the recorder; the occupant's clock moves on.
  /// @param single whether iterations that scatter go out one by one  @param pause what GPUs do in the pauses of a jump
  void deliver(Job& job, const fleet::ClassPower& power, double tokens, bool single, const workload::PhaseKind* pause,
               StepContext& c);
  /// What the job's life has noted since the last call.
  void events(Job& job, StepContext& c) const;
  /// Limits that even the lowest clock exceeds and beats that are too fast are results, each an event once.
  void limits(const Job& job, StepContext& c);
  /// Power caps exceeded in a step of work. The limiter controls means, so the step's mean power is compared with the cap.
  void caps(const Job& job, const StepContext& c);
  const JobFigures& figures() const { return state_.figures; }

  struct State {
    JobFigures figures;
    bool cap_event_sent = false, beat_event_sent = false, hold_event_sent = false;
    template <class A>
    void archive(A& a) {
      auto& [done, cap, beat, hold] = *this;
      a(done, cap, beat, hold);
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
