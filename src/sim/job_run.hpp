#pragma once
#include <functional>
#include <optional>

#include "hall_loop.hpp"
#include "recorder.hpp"
#include "schedule_walk.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/training_task.hpp"
#include "tidewatt/workload/job_life.hpp"

namespace tidewatt::sim {

/// One step's load on its way to the site's stream.
struct LaneLoad {
  std::size_t lane;
  LoadTemplate load;
  std::int64_t repetitions;
  bool iterating;
};

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
};

/// Maps of all classes of a task for the fan speeds that can occur in the step. @param slice see ClassMap::repeats
std::vector<ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetTask& task, bool slice);

/// What a job has done so far.
struct JobFigures {
  double tokens = 0.0;       ///< of completed iterations
  double iterating_s = 0.0;  ///< time in iterations and their parts that count
  double iteration_s2 = 0.0; ///< Σ time × length of the iterations then running
  double load_J = 0.0;       ///< at the AC inputs of its nodes
  template <class A>
  void archive(A& a) {
    a(tokens, iterating_s, iteration_s2, load_J);
  }
};

/// One user of a range of nodes, on a clock of its own: a training job, or nobody (idle nodes).
class JobRun {
 public:
  /// @param spec nullptr: idle nodes  @param lane of the site's load
  JobRun(const Scenario& scenario, const Fleet& fleet, const JobSpec* spec, std::size_t lane, std::size_t first_node,
         std::size_t n_node);

  /// Steps until this user's clock is at or beyond `until`.
  void advance_to(Tick until, Hands& hands);
  /// The range stands idle for an hour, unbooked. @return its AC power, W
  double spin_up_W(Hands& hands, FleetMeters& unbooked);

  Tick now() const { return now_; }
  /// Whether nothing but the weather is expected to move the fleet before `until`.
  bool calm(Tick until) const;
  std::size_t first_node() const { return first_node_; }
  std::size_t n_node() const { return n_node_; }
  bool trains() const { return maker_.has_value(); }
  const std::string& name() const { return name_; }
  const TrainingTask& maker() const { return *maker_; }
  const workload::JobLife& life() const { return *life_; }
  const JobFigures& figures() const { return figures_; }
  template <class A>
  void archive(A& a) {
    a(figures_, now_, held_, to_slice_, started_, since_change_, jump_s_, said_hot_, said_cap_, last_step_s_, last_state_);
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
  };
  void step(Tick until, Hands& hands);
  void ask(Tick until, Hands& hands);                 // what the job wants; sets the task
  Length choose_length(Tick until, Hands& hands);     // how far this step goes
  void advance(const Length& length, Hands& hands);
  void advance_sliced(const Length& length, Hands& hands);
  std::int64_t whole_iterations(Tick length, bool through) const;
  bool looked_at(Tick until, const Hands& hands) const;
  void hand_on(LoadTemplate load, const ClassPower& power, Tick stop, Hands& hands);
  void deliver(const ClassPower& power, double tokens, Hands& hands);
  void judge(Hands& hands);
  void work_done(const Length& length, Hands& hands);
  void watch_limits(Hands& hands);
  void set_air(Hands& hands);

  std::string name_;
  std::size_t lane_, first_node_, n_node_;
  Tick macro_step_;
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
  bool said_hot_ = false, said_cap_ = false;
  double last_step_s_ = 0.0;  ///< how far the limiters look ahead
  workload::JobState last_state_ = workload::JobState::done;
  // Signals: recomputed each step.
  FleetTask task_;
  workload::JobStep job_step_;
  workload::Timeline hold_, graded_;
};

}  // namespace tidewatt::sim
