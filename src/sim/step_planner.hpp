#pragma once
// Private to sim: every decision about the length of a job's step.
#include <optional>
#include <span>
#include <vector>

#include "agenda.hpp"
#include "fleet/step_lengths.hpp"
#include "hall_controls.hpp"
#include "heat_guard.hpp"
#include "job.hpp"

namespace TIDEWATT_NAMESPACE::sim {

class JobRun;

/// How far a step goes.
struct StepLength {
  std::int64_t repetitions = 1;
  bool sliced = false;  ///< part of an iteration, or one whose temperatures do not predict the next
  bool cut = false;     ///< an iteration that a failure or the run's end cuts short
  /// Part of it to compute now: until clocks change from outside, or heat ends it; 0: its rest.
  Tick piece = 0;
};

/// Part of a timeline.
struct Piece {
  Tick begin = 0, end = 0;
};

/// Course of a jump through pauses, and the state of the job's life after it.
struct Ahead {
  std::vector<fleet::Leg> legs;
  workload::JobLife life;
  std::int64_t repetitions = 0;
  workload::PhaseKind pause;
  double duration_s() const;
};

/// How far one occupant's next step goes: until something changes, as the error estimate allows, in slices after a start.
class StepPlanner {
 public:
  /// The fleet's work changes. @param pause the last state left the fleet almost unchanged
  void begin(workload::JobState doing, bool pause, Tick now);
  /// What the fleet is set to has changed from outside: the next step is a short one.
  void disturb() { state_.since_change = 0, state_.jump_s = 0.0; }
  void moved(Tick by) { state_.since_change += by; }
  void step_done();
  /// The started iteration continues later from here; 0: it is finished.
  void begun(double frac) { state_.begun_frac = frac; }

  /// Whether nothing but the weather is expected to move the fleet before `until`.
  bool is_steady_until(const Job& job, Tick until) const;
  /// When the job is known to become something else: a state's end, a failure; `never` if it does not.
  Tick next_change(const Job& job) const;
  /// Whether a jump includes a pause that comes first.
  bool goes_through_pause(const Job& job, const StepContext& c) const;
  /// What the next jump is expected to be; nothing where none is.
  std::optional<Ahead> expected_jump(const Job& job, Tick until, const StepContext& c) const;
  /// Longest duration of two iterations as one task; 0: not allowed.
  Tick pair_within(const Job& job, const StepContext& c) const;
  /// What pauses ahead add to the mean die temperature of the work, for a resistance ratio of 1.
  double pause_dip_K(const Job& job, const Ahead& ahead, const StepContext& c) const;
  /// Plans a jump and sets the task to it; false: none is possible.
  bool jump_through(Job& job, Tick until, const StepContext& c);
  /// How long the job's constant state is taken at once.
  Tick hold_length(const Job& job, const HeatGuard& heat, Tick until, const StepContext& c) const;
  /// How far the work that the task is set to goes.
  StepLength work_length(Job& job, const HeatGuard& heat, Tick until, const StepContext& c);
  /// Where the work is cut, whatever it does.
  Tick next_cut(const Job& job, const StepContext& c) const;
  /// Part of the task's iteration to compute now, piece by piece.
  std::vector<Piece> pieces(const Job& job, const StepLength& length, const StepContext& c) const;
  Tick first_grade(const Job& job) const;
  /// Takes the error estimate of the jump just made.
  void judge(const Job& job, const StepContext& c);
  /// The plan of a jump, taken by the caller.
  std::optional<Ahead>& ahead() { return ahead_; }

  Tick started() const { return state_.started; }
  Tick since_change() const { return state_.since_change; }
  double begun_frac() const { return state_.begun_frac; }
  bool holds() const { return state_.held_steps > 0; }
  /// Whether single iterations are needed before `until`: by a recorded window, or the spectrum, which restarts with
  /// every uninterrupted interval.
  bool looked_at(const Job& job, Tick until, const StepContext& c) const;

  struct State {
    std::int64_t held_steps = 0;               ///< of the running constant state
    std::int64_t startup_iterations_left = 0;  ///< still to be taken in slices after a start
    Tick started = 0;                          ///< when the job last began to iterate after more than a pause
    Tick since_change = 0;                     ///< time since the fleet was set to something else
    double jump_s = 0.0;                       ///< how far the error estimate lets the next jump go
    double begun_frac = 0.0;                   ///< of an iteration that continues at other clocks: completed part
    template <class A>
    void archive(A& a) {
      auto& [held, left, start, since, jump, begun] = *this;
      a(held, left, start, since, jump, begun);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  bool jumps_over(const Job& job, const workload::JobStep& step, Tick at, const StepContext& c) const;
  /// Repetitions that come one after another.
  struct Unit {
    Tick period;
    std::int64_t iterations;  ///< in one of them
    std::int64_t most;        ///< of them
  };
  std::optional<Ahead> look_ahead(const Job& job, Tick until, const Unit& unit, const StepContext& c) const;
  State state_;
  std::optional<Ahead> ahead_;  ///< scratch
};

/// How far work goes that a failed replica will stop: to the exchange, this iteration's end, or whatever comes first.
StepLength run_out_length(const Job& job, const StepPlanner& planner, const HeatGuard& heat, const StepContext& c);

}  // namespace TIDEWATT_NAMESPACE::sim
