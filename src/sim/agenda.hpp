#pragma once
// Private to sim: how long macro steps are.
#include <span>

#include "hall_controls.hpp"
#include "hall_loop.hpp"
#include "workload/job_state.hpp"

namespace TIDEWATT_NAMESPACE::sim {

class JobRun;

/// Times that no step crosses, and the macro steps between them.
///
/// There are two kinds. At a *cut* running work ends and is lost: the end of the run, and where the site's power ends or returns.
/// At a *pause* clocks change or a controller reads: an iteration is computed up to it and continues after it.
class Agenda {
 public:
  Agenda(const Scenario& scenario, const HallControls& controls, const HallLoop& halls);

  Tick end() const { return end_; }
  Tick power_edge() const { return power_edge_; }
  /// Known time at which the site's power ends or returns; `never` once that has happened.
  void set_power_edge(Tick at) { power_edge_ = at; }
  void set_pause(Tick at) { pause_at_ = at; }
  Tick next_cut() const { return std::min(end_, power_edge_); }
  Tick next_pause(Tick at) const {
    return std::min(controls_.brake_edge(at), pause_at_ > at ? pause_at_ : workload::never);
  }

  /// End of the macro step that begins at `now`, without an iteration that it may include.
  ///
  /// While all occupants are steady and the supply moves as predicted, macro steps double, up to `macro_step_max_s`. They end at multiples
  /// of `macro_step_s`, and never cross a full hour.
  Tick plan_macro_step(Tick now, std::span<const JobRun> occupants);
  /// A shorter one than the one just planned, which ends at `until`; `until` if none is.
  Tick plan_shorter(Tick until, Tick now, std::span<const JobRun> occupants);
  /// Time up to which jobs' steps are of the macro step that ends at `until`: it may yet be aligned.
  Tick latest_end(Tick until, std::span<const JobRun> occupants) const;
  /// A job that iterates alone ends the macro step with it, so that its repetitions reach the connection unbroken.
  Tick align_to_iteration_end(Tick until, std::span<const JobRun> occupants) const;

  template <class A>
  void archive(A& a) {
    a(n_base_step_);
  }

 private:
  bool aligns(std::span<const JobRun> occupants) const;
  bool equal_steps() const { return most_base_steps_ == 1; }
  Tick min_macro_step() const;
  Tick base_steps_end(Tick now, std::span<const JobRun> occupants) const;
  Tick clip_to_next_event(Tick until, Tick now, std::span<const JobRun> occupants) const;
  Tick end_, base_;
  std::int64_t most_base_steps_;
  const HallControls& controls_;
  const HallLoop& halls_;
  Tick power_edge_ = workload::never, pause_at_ = workload::never;
  std::int64_t n_base_step_ = 1;  ///< state: base steps that the last macro step had
  Tick macro_edge_ = 0;           ///< scratch: time that the macro step must not cross
};

}  // namespace TIDEWATT_NAMESPACE::sim
