#pragma once
// Private to sim: one occupant of the fleet, step by step.
#include <optional>
#include <span>

#include "job.hpp"
#include "job_report.hpp"
#include "step_planner.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What a step leaves of an occupant's GPUs. Each [gpu of the range]
struct StepMeans {
  std::span<double> mean_W, die_mean_K, die_peak_K;
  std::span<double> memory_K;  ///< empty: no GPU of the fleet has a memory branch
};

/// Means over an iteration that passes in pieces. The next step is predicted from them: the power and temperature of a piece are
/// those of its part of the iteration only, and a prediction from its end, where GPUs wait, would raise all clocks.
class IterationMean {
 public:
  /// Pieces begin. @param anew with an iteration  @param now of the last whole iteration
  void begin(bool anew, const StepMeans& now);
  /// A piece has passed. @param now of the piece  @param gpu_J [gpu of the range] its energy
  void add(const StepMeans& now, std::span<const double> gpu_J, double s);
  /// Pieces end. @param now set to the means over the iteration, however long its pieces were, whose pace may have changed; where a part
  /// of it is left, to those of the iteration before, with the higher peak
  void end(bool whole, const StepMeans& now);
  /// A step of whole iterations has passed.
  void passed() { state_.known = true; }
  /// The fleet does something else from now on.
  void forget() { state_.known = false; }

  struct State {
    bool known = false;   ///< an iteration of the present work has passed
    double passed_s = 0;  ///< of the iteration begun
    /// [gpu of the range] integrals over the iteration begun
    std::vector<double> gpu_J, die_Ks, memory_Ks;
    std::vector<double> die_peak_K;  ///< [gpu of the range] highest so far
    template <class A>
    void archive(A& a) {
      auto& [whole, s, energy, die, memory, peak] = *this;
      a(whole, s, energy, die, memory, peak);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
  std::vector<double> mean_K_, peak_K_, memory_K_;  ///< scratch: of the last whole iteration
};

/// One occupant of a range of nodes, with its own time: its work (`Job`), the length of its steps (`StepPlanner`), the effect of
/// heat on it (`HeatGuard`) and its figures (`JobReport`).
class JobRun {
 public:
  /// @param spec nullptr: idle nodes
  JobRun(const Scenario& scenario, const fleet::Fleet& fleet, const JobSpec* spec, JobPlace place);

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
  bool is_steady_until(Tick until) const {
    return planner_.is_steady_until(job_, until) && heat_.coolant_s(job_) > 1.5 * seconds(until - job_.state.now);
  }
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
  Tick run_out_ns() const;
  void plan_work(Tick until, StepContext& c);
  void begin(workload::JobState doing, StepContext& c);
  StepLength choose_length(Tick until, StepContext& c);
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
