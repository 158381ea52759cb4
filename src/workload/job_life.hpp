#pragma once
#include <memory>
#include <string>
#include <vector>

#include "job_state.hpp"
#include "tidewatt/workload/failures.hpp"
#include "tidewatt/workload/job_params.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// What a job does next.
struct JobStep {
  JobState state = JobState::queued;
  /// Timed states: their exact end, or the end of a stage. iterate: no iteration starts at or after this (a
  /// checkpoint, a stop or a ramp's next stage is due). evaluate and done: `never`.
  Tick until = never;
  std::int64_t max_iterations = 0;       ///< iterate: largest number before the next evaluation or the end
  std::int64_t iterations_left = never;  ///< iterate: of the whole job
  Tick stop = never;  ///< iterate: the first boundary at or after it ends the work, for a planned stop
  std::int64_t evaluation_batches = 0;  ///< evaluate
  PhaseKind kind;                       ///< timed states: what every GPU does
  double busy_frac = 1.0;  ///< share of the job that does `kind`: of its hosts in tear-down, else of its replicas
  bool by_host = false;    ///< the share is of hosts
  bool rest_waits = true;  ///< what the others do: wait with spinning kernels; false: they have no process
  HostSpread hosts{};      ///< start, load: hosts do `kind` one after another, the others what `rest_waits` says
  std::int64_t failed_node = -1;  ///< run_out: its replica has stopped; -1: not known
  double clock_frac = 1.0;        ///< ramps by clock: ceiling on every GPU's clock as a share of what it would run at
  Tick interrupt = never;         ///< next unexpected failure: cut whatever runs at this nanosecond
};

/// Life of one job as a small copyable state machine:
/// queued → initialise → load → warm up → (ramp up) → iterate ⇄ evaluate, checkpoint → (failure → (run out) → detect → tear down →
/// (wait for a spare) → replace → initialise) → (ramp down) → done.
///
/// * Hosts start their processes one after another within `arrive_s`; the communicators' set-up begins with the last one. They begin
///   to load, and end it, one after another as well.
/// * A planned stop waits for the end of an iteration, saves, and loses nothing; `at_once` cuts and loses: the scheduler ends the
///   processes within `tear_down_s`, in stages.
/// * A failure stops one replica. The others compute up to the exchange that waits for it and spin there until it is detected; then
///   their processes end within `tear_down_s`, in stages. A loss of power ends all of them in that instant.
/// * A failure loses all work since the last durable checkpoint, which is done again. A failure while the
///   job is already down only counts and joins the outage.
/// * A node whose cause needs a repair leaves; a spare takes its place, or, when the pool is dry, the next repaired one.
/// * Where a scale-up domain has several nodes, a node is replaced by a spare one of its domain. A domain without enough nodes, or that
///   lost a switch tray, is replaced by a spare domain; when there is none, the job waits for the next repair that helps.
/// * An asynchronous checkpoint blocks for the copy to host memory and is durable once storage has all of it; the next
///   one is not begun before. A save ahead of a stop blocks until durable and supersedes one on its way.
/// * Every nanosecond since 0 counts in exactly one state. A loss of the site's power is one interruption until power returns.
class JobLife {
 public:
  /// @param failures  sorted by tick, for the life of the run; those before the start are left out
  /// @param domains  scale-up domains of several nodes; none: nodes replace one another wherever they are
  /// @throws InputError for rates that are not above 0, unsorted failures, soft ramps that are not possible
  JobLife(const JobParams& job, const JobSize& size, std::vector<Failure> failures, const DomainLayout& domains = {});

  /// Next state of the job from `now` on, which must be the end of the counted time.
  JobStep next(Tick now) const;
  /// The step ended by itself. @param iterations  whole iterations done (iterate only)
  /// @throws InputError if the job is in another state, or time went back
  void completed(const JobStep& step, std::int64_t iterations, Tick now);
  /// The step was cut at `now`, by the list's next failure or from outside (a trip).
  /// @param iterations  whole iterations done since the step began (iterate only)
  /// @param run_out  for how long other replicas still compute; part of the time to detection
  void interrupted(Tick now, std::int64_t iterations = 0, const std::string& cause = "", Tick run_out = 0);
  /// As `interrupted`, by `n_node` nodes of the job that their own protection switched off: one interruption, however many
  /// they are. They return after `thermal_reset_s`; spares replace them until then (0: they restart in place).
  /// @param held as for `hold_start`
  void switched_off(Tick now, std::int64_t n_node, std::int64_t first_node, bool held = false, Tick run_out = 0);
  /// Whether nodes that fell still cannot run. As long as they cannot, an outage lasts and no job starts on them, so one
  /// cause counts as one interruption. Of no effect outside an outage.
  void hold_start(bool held);
  /// The site's power ends at `now`. A running job stops: one interruption, and work since the last durable checkpoint is lost. A
  /// job
  /// that waits or is down stays where it is until `power_back`. No node needs replacing.
  void power_lost(Tick now);
  /// Power is back at `now`: detection, or a replacement under way, begins here.
  void power_back(Tick now);
  /// Counts what ran up to `now` without ending it: the end of the run, or a look in between. An iteration that `now`
  /// cuts stays in `unsaved_ns`. @param iterations  whole ones since the last call about this step
  void book_until(Tick now, std::int64_t iterations = 0);
  /// A stop from outside: the job drains at the first boundary at or after `at` and stands until `end`. Requests are a set: their
  /// order does not matter, and those that overlap or touch are one. One that is over before the job could stop is logged.
  /// @throws InputError for an end before `at`
  void request_stop(Tick at, Tick end);
  /// A stop without an end from `now` on: drained at the first boundary, until `release_stop`. Of no effect while one lasts.
  void hold_stop(Tick now);
  /// The held stop ends: the job starts again, unless another stop lasts. @param now in no state's past
  void release_stop(Tick now);

  std::int64_t progress_iterations() const { return s_.progress; }
  const JobBooks& books() const { return s_.books; }
  std::vector<JobEvent> take_events();  ///< what happened since the last call

  const JobParams& params() const { return job_; }
  const JobLifeState& state() const { return s_; }
  /// Goes on from a state of a job with the same parameters and failures; events not yet taken are dropped.
  /// @throws InputError if the state points beyond the list of failures
  void restore(const JobLifeState& state);

 private:
  void book(Tick now);
  void enter(JobState state, Tick now);
  void choose(Tick now);
  void settle(Tick now);
  void keep(std::int64_t progress, Tick unsaved_ns);
  void saved(Tick now);
  void started(Tick now);
  void stop_or_end(Tick now);
  void begin_planned(Tick now);
  void drop_lapsed(Tick now);
  Tick take_requests(Tick end);
  void after_outage(Tick now);
  void find_spares(Tick now);
  void lose_nodes(Tick now, std::int64_t n_node, std::int64_t first_node);
  void lose(const Failure& failure);
  std::int64_t find_substitutes(Tick now);
  void fall(Tick now, std::int64_t node, const std::string& cause, bool down, Tick run_out);
  std::string count_failures(Tick now, std::int64_t& node);
  void lose_unsaved();
  void progress_by(std::int64_t iterations, Tick now);
  bool finished() const { return job_.total_iterations > 0 && s_.progress >= job_.total_iterations; }
  bool stop_due(Tick now) const;
  Tick stop_tick() const;
  Tick duration_ns(JobState state) const;
  Tick stage_end(Tick begin, double length_s, Tick now) const;
  std::int64_t stage(Tick begin, double length_s, Tick now) const;
  void soften(JobStep& step, Tick now) const;
  void arrive(JobStep& step, Tick now) const;
  void tear_down(JobStep& step, Tick now) const;
  PhaseKind kind_of(JobState state) const;
  void log(Tick tick, const char* kind, std::int64_t entity, std::string text);

  JobParams job_;
  JobSize size_;
  DomainSpares domains_;
  std::shared_ptr<const std::vector<Failure>> failures_;  ///< never changed, so copies share it
  JobLifeState s_;
  std::vector<JobEvent> events_;
};

}  // namespace TIDEWATT_NAMESPACE::workload
