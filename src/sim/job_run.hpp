#pragma once
// Private to sim: one occupant of the fleet, step by step.
#include <optional>
#include <span>

#include "job.hpp"
#include "job_report.hpp"
#include "step_planner.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Mean die temperatures of an occupant's GPUs over its last complete iteration, also if it was computed in slices.
class IterationMean {
 public:
  /// A step of slices begins. @param anew with an iteration  @param die_mean_K [gpu of the range] of the step before
  void begin_slices(bool anew, std::span<const double> die_mean_K);
  void add(std::span<const double> die_mean_K, double s);
  void finish(double period_s);
  void end_slices() { state_.sliced = false; }
  /// @param die_mean_K [gpu of the range] of the last step
  std::span<const double> of(std::span<const double> die_mean_K) const {
    return state_.sliced ? std::span<const double>(state_.last_K) : die_mean_K;
  }

  struct State {
    bool sliced = false;         ///< the last step went through an iteration in slices
    std::vector<double> sum_Ks;  ///< [gpu of the range] integral of the die temperature over the iteration begun
    /// [gpu of the range] mean over the last complete iteration, where the last step was sliced.
    std::vector<double> last_K;
    template <class A>
    void archive(A& a) {
      auto& [in_slices, sum, last] = *this;
      a(in_slices, sum, last);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

/// One occupant of a range of nodes, with its own time: its work (`Job`), the length of its steps (`StepPlanner`), the effect of
/// heat on it (`HeatGuard`) and its figures (`JobReport`).
class JobRun {
 public:
  /// @param spec nullptr: idle nodes  @param lane of the site's load
  JobRun(const Scenario& scenario, const fleet::Fleet& fleet, const JobSpec* spec, std::size_t lane,
         std::size_t first_node, std::size_t n_node);

  /// Steps until this occupant's clock is at or beyond `until`.
  void advance_to(Tick until, StepContext& c);
  /// Gives the fleet's state to the recorder if no earlier one was better. @param full_hour of the run, or its end
  void offer_snapshot(bool full_hour, StepContext& c);
  /// Idle range for an hour, without counting energy. @return its AC power, W
  double spin_up_W(StepContext& c, fleet::FleetMeters& unbooked);
  /// The site's power ends or returns at this occupant's time: a running job is interrupted, its nodes are without power until then.
  void set_power(bool on, StepContext& c);
  /// A stop from outside: after the iteration under way and a save, until it is taken back. Then the job starts again.
  void set_paused(bool paused, StepContext& c);
  void disturb() { planner_.disturb(); }
  bool is_steady_until(Tick until) const { return planner_.is_steady_until(job_, until); }
  Tick next_change() const { return planner_.next_change(job_); }

  Tick now() const { return job_.state.now; }
  std::size_t first_node() const { return job_.place.first_node; }
  std::size_t n_node() const { return job_.place.n_node; }
  bool trains() const { return job_.training.has_value(); }
  const std::string& name() const { return job_.place.name; }
  const fleet::TrainingTask& training() const { return *job_.training; }
  const workload::JobLife& life() const { return *job_.life; }
  Tick last_period() const { return job_.state.last_period; }  ///< of the last iteration; 0: there was none
  const JobFigures& figures() const { return report_.figures(); }
  /// [gpu of the range] mean die temperatures over the last complete iteration; temperatures now where nothing iterates.
  std::span<const double> iteration_mean_K(const fleet::FleetState& state, const fleet::Fleet& fleet) const;
  template <class A>
  void archive(A& a) {
    a(job_.state, planner_, heat_, report_, iteration_);
    if (!job_.life) return;
    a(*job_.training);
    auto life = job_.life->state();
    a(life);
    if constexpr (A::reads) job_.life->restore(life);
  }

 private:
  void step(Tick until, StepContext& c);
  void plan_work(Tick until, StepContext& c);
  void begin(workload::JobState doing, StepContext& c);
  StepLength choose_length(Tick until, StepContext& c);
  void set_hold(Tick stretch, StepContext& c);
  void predict_hold(StepContext& c);
  void set_air(const StepContext& c);
  void play(const StepLength& length, StepContext& c);
  void play_sliced(const StepLength& length, StepContext& c);
  fleet::ClassPower move_packages(fleet::KindTemperatureOffsets* offsets, StepContext& c);
  void deliver(const fleet::ClassPower& power, double tokens, StepContext& c);

  Job job_;
  StepPlanner planner_;
  HeatGuard heat_;
  JobReport report_;
  IterationMean iteration_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
