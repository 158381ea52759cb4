#pragma once
// Private to sim: every decision about how far a step goes.
#include <optional>
#include <span>
#include <vector>

#include "fleet/step_lengths.hpp"
#include "hall_controls.hpp"
#include "heat_guard.hpp"
#include "job.hpp"

namespace TIDEWATT_NAMESPACE::sim {

class JobRun;

/// Moments that no step crosses, and the macro steps between them.
///
/// There are two kinds of moment. At a *cut* what runs ends and is lost: the run's end, and where the site's power ends or comes
/// back. At a *pause* clocks change or somebody outside looks: an iteration is played up to it and goes on behind it.
class Agenda {
 public:
  Agenda(const Scenario& scenario, const HallControls& controls, const HallLoop& halls);

  Tick end() const { return end_; }
  Tick power_edge() const { return power_edge_; }
  /// Where the site's power is known to end or come back; `never` once that has happened.
  void set_power_edge(Tick at) { power_edge_ = at; }
  void set_pause(Tick at) { pause_at_ = at; }
  Tick next_cut() const { return std::min(end_, power_edge_); }
  Tick next_pause(Tick at) const {
    return std::min(controls_.brake_edge(at), pause_at_ > at ? pause_at_ : workload::never);
  }

  /// Where the macro step that begins at `now` ends, but for an iteration that it may take along.
  ///
  /// As long as all occupants are steady and the supply moves as expected, macro steps double, up to `macro_step_max_s`. They end at
  /// multiples of their length, so that they fall into step with the hours.
  Tick plan_macro_step(Tick now, std::span<const JobRun> occupants);
  /// The same, without planning it.
  Tick planned_end(Tick now, std::span<const JobRun> occupants) const;
  /// A job that iterates alone ends the macro step with it, so that its repetitions reach the connection unbroken.
  Tick align_to_iteration_end(Tick until, std::span<const JobRun> occupants) const;

  template <class A>
  void archive(A& a) {
    a(n_base_step_);
  }

 private:
  bool equal_steps() const { return most_base_steps_ == 1; }
  Tick min_macro_step() const;
  Tick clip_to_next_event(Tick until, Tick now, std::span<const JobRun> occupants) const;
  Tick end_, base_;
  std::int64_t most_base_steps_;
  const HallControls& controls_;
  const HallLoop& halls_;
  Tick power_edge_ = workload::never, pause_at_ = workload::never;
  std::int64_t n_base_step_ = 1;  ///< state: base steps that the last macro step had
  Tick macro_edge_ = 0;           ///< scratch: that the macro step must not cross
};

/// How far a step goes.
struct StepLength {
  std::int64_t repetitions = 1;
  bool sliced = false;  ///< part of an iteration, or one whose temperatures say nothing about the next
  bool cut = false;     ///< an iteration that a failure or the run's end cuts short
  /// So much of it is played now: until something from outside changes the clocks, or heat ends it; 0: its rest.
  Tick piece = 0;
};

/// Part of a timeline.
struct Piece {
  Tick begin = 0, end = 0;
};

/// How a jump goes on through pauses, and where the job's life then stands.
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
  /// The fleet begins to do something else. @param pause what it did left the fleet almost as it was
  void begin(workload::JobState doing, bool pause, Tick now);
  /// What the fleet is set to has changed from outside: the next step is a short one.
  void disturb() { state_.since_change = 0, state_.jump_s = 0.0; }
  void moved(Tick by) { state_.since_change += by; }
  void step_done();
  /// The iteration that was begun goes on later from here; 0: it is over.
  void begun(double frac) { state_.begun_frac = frac; }

  /// Whether nothing but the weather is expected to move the fleet before `until`.
  bool is_steady_until(const Job& job, Tick until) const;
  /// When the job is known to become something else: a state's end, a failure; `never` if it does not.
  Tick next_change(const Job& job) const;
  /// Whether a pause that comes first is jumped through, as if it were part of the iterating.
  bool goes_through_pause(const Job& job, const StepContext& c) const;
  /// What the next jump is expected to be; nothing where none is.
  std::optional<Ahead> expected_jump(const Job& job, Tick until, const StepContext& c) const;
  /// How long two iterations may be together to be played as one task; 0: they may not.
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
  /// What of the iteration that the task is set to is played now, piece by piece.
  std::vector<Piece> pieces(const Job& job, const StepLength& length, const StepContext& c) const;
  Tick first_grade(const Job& job) const;
  /// Takes the error estimate of the jump just made.
  void judge(const Job& job, const StepContext& c);
  /// The plan of a jump; taken by whoever books it.
  std::optional<Ahead>& ahead() { return ahead_; }

  Tick started() const { return state_.started; }
  Tick since_change() const { return state_.since_change; }
  double begun_frac() const { return state_.begun_frac; }
  bool holds() const { return state_.held_steps > 0; }
  /// Whether single iterations are looked at before `until`: by a recorded window, or the spectrum, which begins anew with
  /// every uninterrupted interval.
  bool looked_at(const Job& job, Tick until, const StepContext& c) const;

  struct State {
    std::int64_t held_steps = 0;               ///< of the running constant state
    std::int64_t startup_iterations_left = 0;  ///< still to be taken in slices after a start
    Tick started = 0;                          ///< when the job last began to iterate after more than a pause
    Tick since_change = 0;                     ///< time since the fleet was set to something else
    double jump_s = 0.0;                       ///< how far the error estimate lets the next jump go
    double begun_frac = 0.0;                   ///< of an iteration that goes on at other clocks: what of it is done
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
  double settling_s(Tick now) const;
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

}  // namespace TIDEWATT_NAMESPACE::sim
