#pragma once
#include <functional>
#include <optional>

#include "hall_loop.hpp"
#include "operator.hpp"
#include "recorder.hpp"
#include "schedule_walk.hpp"
#include "task_maps.hpp"
#include "tidewatt/sim/load_tape.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/training_task.hpp"
#include "tidewatt/workload/job_life.hpp"

namespace tidewatt::sim {

/// How often the fleet was moved, by kind of step; how fast a run is follows from these.
struct StepCounts {
  std::int64_t jumps = 0, repetitions = 0, slices = 0, resolved = 0, macro_steps = 0;
};

/// What the users of the fleet share: constants, the fleet's state, and who is told what happened.
struct Hands {
  const Scenario& scenario;
  const Fleet& fleet;
  std::size_t n_thread;
  Tick end;
  FleetState& state;
  FleetSignals& signals;
  FleetMeters& meters;
  ScheduleWalk& walk;
  HallLoop& halls;
  std::vector<LaneLoad>& loads;
  Recorder& recorder;
  StepCounts& counts;
  const Tick& power_edge;  ///< where the site's power is known to end or come back; no step reaches beyond
  Tick pause_at = workload::never;  ///< no job steps across: somebody outside looks or acts there
};

/// What a job has done so far.
struct JobFigures {
  double tokens = 0.0;       ///< of completed iterations
  double iterating_s = 0.0;  ///< time in iterations and their parts that count
  double iteration_s2 = 0.0; ///< Σ time × length of the iterations then running
  double load_J = 0.0;       ///< at the AC inputs of its nodes
  double cap_over_W = 0.0;   ///< most that a GPU's mean over a step of work was above its power cap
  double cap_over_s = 0.0;   ///< GPU-seconds of work in such steps
  double worked_s = 0.0;     ///< GPU-seconds of work
  template <class A>
  void archive(A& a) {
    a(tokens, iterating_s, iteration_s2, load_J, cap_over_W, cap_over_s, worked_s);
  }
};

/// Whether a job in this state has processes on its GPUs.
inline bool runs(workload::JobState s) {
  using enum workload::JobState;
  return s != queued && s != done && s != detect && s != replace && s != wait_for_spare && s != maintenance;
}

/// One user of a range of nodes, on a clock of its own: a training job, or nobody (idle nodes).
class JobRun {
 public:
  /// @param spec nullptr: idle nodes  @param lane of the site's load
  JobRun(const Scenario& scenario, const Fleet& fleet, const JobSpec* spec, std::size_t lane, std::size_t first_node,
         std::size_t n_node);

  /// Steps until this user's clock is at or beyond `until`.
  void advance_to(Tick until, Hands& hands);
  /// Hands the fleet's state to the recorder if no better moment for it has been seen. @param full_hour of the run, or its end
  void show(bool full_hour, Hands& hands);
  /// The range stands idle for an hour, unbooked. @return its AC power, W
  double spin_up_W(Hands& hands, FleetMeters& unbooked);

  /// The site's power ends or comes back at this user's clock: a job that runs falls, and all its nodes stand dark until it is back.
  void set_power(bool on, Hands& hands);
  /// What the fleet is set to has changed from outside: the next step is a short one.
  void disturb() { since_change_ = 0, jump_s_ = 0.0; }
  Tick now() const { return now_; }
  /// Whether nothing but the weather is expected to move the fleet before `until`.
  bool calm(Tick until) const;
  /// When the job is known to become something else: a state's end, a failure; `never` if it does not.
  Tick next_change() const;
  std::size_t first_node() const { return first_node_; }
  std::size_t n_node() const { return n_node_; }
  bool trains() const { return maker_.has_value(); }
  const std::string& name() const { return name_; }
  const TrainingTask& maker() const { return *maker_; }
  const workload::JobLife& life() const { return *life_; }
  Tick last_period() const { return last_period_; }  ///< of the last iteration; 0: there was none
  /// [gpu of the range] mean die temperatures over the last complete iteration; temperatures now where nothing iterates.
  std::span<const double> iteration_mean_K(const FleetState& state, const Fleet& fleet) const;
  const JobFigures& figures() const { return figures_; }
  template <class A>
  void archive(A& a) {
    a(figures_, now_, held_, to_slice_, started_, since_change_, jump_s_, said_cap_, said_beat_, last_step_s_, before_s_, last_state_, last_period_, inside_, last_load_.edge, last_load_.load_W, rises_, begun_frac_, margin_K_, approach_K_per_s_, last_off_, sliced_, slice_Ks_, iteration_K_, dark_);
    if (!life_) return;
    a(*maker_);
    auto state = life_->state();
    a(state);
    if constexpr (A::reads) life_->restore(state);
  }

 private:
  enum class How { repeated, sliced, resolved };
  struct Length {
    std::int64_t repetitions = 1;
    How how = How::repeated;
    bool cut = false;  ///< an iteration that a failure or the run's end cuts short
    Tick piece = 0;    ///< so much of it is played now: until something from outside changes the clocks, or heat ends it; 0: its rest
  };
  /// How a jump goes on through pauses, and where the job's life then stands.
  struct Ahead {
    std::vector<Leg> legs;
    workload::JobLife life;
    std::int64_t repetitions = 0;
    workload::PhaseKind pause;
  };
  void step(Tick until, Hands& hands);
  void ask(Tick until, Hands& hands);                 // what the job wants; sets the task
  Length choose_length(Tick until, Hands& hands);     // how far this step goes
  void change_to(workload::JobState doing, Hands& hands);
  void predict_hold(Hands& hands);
  double settling_s() const;
  Length hold(Tick until, Hands& hands);
  bool jump_through(Tick until, Hands& hands);
  std::optional<Ahead> look_ahead(Tick until, Tick period, std::int64_t most, const Hands& hands) const;
  double pause_dip_K(const Ahead& ahead, const Hands& hands) const;
  bool jumps_over(const workload::JobStep& step, Tick at, const Hands& hands) const;
  void advance(const Length& length, Hands& hands);
  void advance_sliced(const Length& length, Hands& hands);
  bool looked_at(Tick until, const Hands& hands) const;
  std::vector<LoadTemplate> single_loads(const ClassPower& power) const;
  void deliver(const ClassPower& power, double tokens, Hands& hands);
  void judge(Hands& hands);
  void work_done(const Length& length, Hands& hands);
  void tell_events(Hands& hands);
  void watch_limits(Hands& hands);
  void watch_caps(const Hands& hands);
  void watch_heat(Hands& hands);
  void reset_nodes(Hands& hands);
  Tick next_edge(Tick at, const Hands& hands) const;
  bool hot() const;
  bool cannot_start(const Hands& hands) const;
  double heat_near_s() const;
  Tick heat_end(Tick most, const Hands& hands) const;
  void set_air(Hands& hands);

  std::string name_;
  std::size_t lane_, first_node_, n_node_;
  Tick macro_step_;
  PowerBrake brakes_;
  std::optional<TrainingTask> maker_;
  // State: all and only what a restart needs.
  Tick now_ = 0;
  std::optional<workload::JobLife> life_;
  JobFigures figures_;
  std::int64_t held_ = 0;       ///< steps of the running constant state
  std::int64_t to_slice_ = 0;   ///< iterations still to be taken in slices after a start
  Tick started_ = 0;            ///< when the job last began to iterate after more than a pause
  Tick since_change_ = 0;       ///< time since the fleet was set to something else
  double jump_s_ = 0.0;         ///< how far the error estimate lets the next jump go
  bool said_cap_ = false, said_beat_ = false;
  double last_step_s_ = 0.0;  ///< how far the limiters look ahead
  double before_s_ = 0.0;     ///< of which the fleet's mean die temperatures are; 0: of this moment
  workload::JobState last_state_ = workload::JobState::done;
  bool dark_ = false;         ///< its nodes have no power
  bool inside_ = false;       ///< the last step ended within an iteration
  LoadEdges last_load_;       ///< of the last repeated iteration
  Tick last_period_ = 0;      ///< of the last iteration
  double begun_frac_ = 0.0;   ///< of an iteration that goes on at other clocks: what of it is done
  double margin_K_ = 1e300;   ///< the hottest die's, below its shutdown temperature
  Tick last_off_ = -3600 * ns_per_s;  ///< when a node last switched itself off
  double approach_K_per_s_ = 0.0;  ///< how fast that shrank in the last step
  Rises rises_;               ///< of the present work
  bool sliced_ = false;       ///< the last step went through an iteration in slices
  std::vector<double> slice_Ks_;     ///< [gpu of the range] integral of the die temperature over the iteration begun
  std::vector<double> iteration_K_;  ///< [gpu of the range] mean over the last complete iteration, where the last step was sliced
  // Signals: recomputed each step.
  FleetTask task_;
  workload::JobStep job_step_;
  workload::Timeline hold_, graded_;
  std::optional<Ahead> ahead_;
  std::vector<double> slice_J_;  ///< [gpu of the range]
};

}  // namespace tidewatt::sim
