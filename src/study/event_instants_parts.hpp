#pragma once
// Stretches of a run that event_instants() replays. Private to study.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

/// Figures of a run or of a part of it, [event_keys()], in the keys' units.
using EdgeFigures = std::array<double, 4>;
/// The larger of each; one that was not measured (NaN) is passed over.
EdgeFigures largest(const EdgeFigures& a, const EdgeFigures& b);
/// Of a whole run, from its summary.
EdgeFigures summary_figures(const sim::Result& result);

/// Figures of a part of a run, and when they occurred.
struct PartFigures {
  EdgeFigures value{};
  EdgeFigures at_s{};  ///< [event_keys()], since the run's start; NaN: nowhere
};

/// A time at which an event acts. Its begin moves with `at_s`, its end by another `duration_s`.
struct EventEdge {
  double at_s = 0.0;
  bool ends = false;
};

/// Part of a run in which an event makes edges, wherever in the iteration they fall. Times in s since the start, whole ms.
struct Stretch {
  std::size_t event = 0;         ///< index in the scenario
  double regular_s = 0.0;        ///< more than an iteration before the first edge: the replays begin here or earlier
  double from_s = 0.0;           ///< figures are measured from here on
  double until_s = 0.0;          ///< regular iterations again; as much later as the event is moved
  std::vector<EventEdge> edges;  ///< of the event, not moved, in the order of time
  std::int64_t job = -1;         ///< whose iteration the instants are spread over; −1: the longest of all jobs
};

/// Length of an iteration of each job in a run, [job], s; 0: it did not train.
std::vector<double> iterations_s(const sim::Scenario& scenario, const sim::Result& base);
/// In the order of time. @param iteration_s [job], s
std::vector<Stretch> event_stretches(const sim::Scenario& scenario, const std::vector<double>& iteration_s);

/// How an event is moved, s.
struct Move {
  std::size_t event = 0;
  double begin_s = 0.0, end_s = 0.0;  ///< all of it; its end alone
};

/// Measures parts of a run on the whole fleet from saved states.
class PartMeter {
 public:
  /// @param scenario of the run; its recorded windows, rules and power system are left out
  explicit PartMeter(sim::Scenario scenario);
  const sim::Scenario& scenario() const { return scenario_; }
  /// @param state saved by an engine of `scenario()` at a time not after `from_s`  @param until_s at most the run's end counts
  /// @param end_s the replay ends then, if that is later
  /// @return between the times, not looking across them  @throws InputError, SolverError as the engine
  PartFigures measure(const std::string& state, double from_s, double until_s, const Move& move = {},
                      double end_s = 0.0) const;
  /// From the run's start to a time. @param state as above
  EdgeFigures measure_start(const std::string& state, double until_s) const;

 private:
  sim::Scenario scenario_;
};

/// Length of the last iteration, s: of a job, or the longest. @param run_s [job], the run's means, for jobs that
/// have not iterated yet
double last_iteration_s(sim::Engine& engine, const sim::Scenario& scenario, std::int64_t job,
                        const std::vector<double>& run_s);

/// A run taken step by step, for states of it.
class RunPass {
 public:
  /// @param state of `scenario`, to begin from; empty: its start
  explicit RunPass(const sim::Scenario& scenario, const std::string& state = {});
  /// State of the run between two of its own steps, the last that is not after a time. Times do not decrease.
  const std::string& before(double t_s);
  /// The engine, at the end of the step after the last such state.
  sim::Engine& engine() { return engine_; }

 private:
  double longest_step_s_;
  sim::Engine engine_;
  std::string state_;
};

/// The largest figure that an edge makes if it falls where the iteration's own is largest: a steep fall lasts a tenth of a second, which
/// evenly spread instants pass over.
/// @param state of a time not after `regular_s`  @param regular_s the job iterates regularly from here to the edge, at least once
/// @param key of `event_keys()`, a ramp  @return NaN: no ramp before the edge  @throws InputError, SolverError as the engine
double aligned_figure(const PartMeter& meter, const std::string& state, std::size_t event, const EventEdge& edge,
                      double regular_s, std::size_t key);

/// Jobs that iterate beside one another with their starts shifted.
struct JobPhases {
  std::vector<EdgeFigures> draws;  ///< [draw] of the whole run, keys' units; empty: fewer than two jobs train together
  EdgeFigures bound{};             ///< sum of the jobs' own figures, keys' units
  std::int64_t n_failed = 0;       ///< windows that could not be run
};
/// Windows of 150 s in which all jobs train, each with other starts:
///
///     K of draw i = largest of n windows, drawn with replacement from these and the run itself,   n = 1 … time together/window
///
/// n is the number of iterations by which the two jobs whose iterations are closest to a whole ratio drift against each other
/// meanwhile, and of restarts, checkpoints and evaluations: jobs in step keep the phase of their start until one of them pauses. Windows of jobs in step last
/// 15 iterations.
/// @param iteration_s [job], s  @param own figures of the run, without edges of events
JobPhases job_phases(const sim::Scenario& scenario, const sim::Result& base, const std::vector<double>& iteration_s,
                     const EdgeFigures& own, std::int64_t n_draw);

/// Options of the replays: the same bits and processor time on any machine.
inline sim::RunOptions one_thread() {
  sim::RunOptions out;
  out.n_thread = 1;
  return out;
}

/// Calls something that replays. @return what the engine refused or could not solve; empty: nothing
std::string failure_of(const std::function<void()>& call);

/// Whole milliseconds: edges of devices and meters are.
double whole_ms(double t_s);

}  // namespace TIDEWATT_NAMESPACE::study::detail
