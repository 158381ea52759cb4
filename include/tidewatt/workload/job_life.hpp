#pragma once
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tidewatt/workload/failures.hpp"
#include "tidewatt/workload/job_params.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace tidewatt::workload {

enum class JobState {
  queued,
  initialise,
  load,
  warm_up,
  iterate,
  evaluate,
  checkpoint,
  detect,
  replace,
  maintenance,
  done
};
inline constexpr std::size_t n_job_state = 11;
const char* name_of(JobState state);

inline constexpr Tick never = std::numeric_limits<Tick>::max();

/// What a job does next.
struct JobStep {
  JobState state = JobState::queued;
  /// Timed states: their exact end. iterate: no iteration starts at or after this (a checkpoint or stop is due).
  /// evaluate and done: `never`.
  Tick until = never;
  std::int64_t max_iterations = 0;      ///< iterate: at most so many before the next evaluation or the end
  std::int64_t evaluation_batches = 0;  ///< evaluate
  PhaseKind kind;                       ///< timed states: what every GPU does
  Tick interrupt = never;               ///< next unexpected failure: cut whatever runs at this nanosecond
};

/// One line of the event log.
struct JobEvent {
  Tick tick = 0;
  std::string kind;          ///< failure, planned_stop, checkpoint, restart, evaluation, done
  std::int64_t entity = -1;  ///< node, where there is one
  std::string text;
};

/// Where the time went. Σ state_ns = time since the start; iterate = effective + lost + not yet saved, to the ns.
struct JobBooks {
  std::array<Tick, n_job_state> state_ns{};
  Tick effective_ns = 0;             ///< iterations that a durable checkpoint (or the end) keeps
  Tick lost_ns = 0;                  ///< iterations thrown away, cut ones included
  Tick unsaved_ns = 0;               ///< iterations since the last durable checkpoint
  std::int64_t iterations_run = 0;   ///< whole ones, redone ones counted again
  std::int64_t iterations_lost = 0;  ///< whole ones thrown away
  std::int64_t unexpected = 0;
  std::int64_t planned = 0;
  std::int64_t checkpoints = 0;
  Tick total_ns() const;
};

/// Life of one job as a small copyable state machine:
/// queued → initialise → load → warm up → iterate ⇄ evaluate, checkpoint → (failure → detect → replace → initialise) →
/// done. A planned stop waits for the end of an iteration, saves, and loses nothing. A failure loses what the last
/// durable checkpoint does not hold, and that work is done again. A failure while the job is already down only counts.
class JobLife {
 public:
  /// @param failures  sorted by tick, for the life of the run; those before the start are left out
  JobLife(const JobParams& job, const JobSize& size, std::vector<Failure> failures);

  JobStep next(Tick now) const;
  /// The step ended by itself. @param iterations  whole iterations done (iterate only)
  void completed(const JobStep& step, std::int64_t iterations, Tick now);
  /// The step was cut at `now`, by the list's next failure or by something from outside (a trip).
  /// @param iterations  whole iterations done since the step began (iterate only)
  void interrupted(Tick now, std::int64_t iterations = 0, const std::string& cause = "");

  JobState state() const { return state_; }
  std::int64_t progress_iterations() const { return progress_; }
  const JobBooks& books() const { return books_; }
  std::vector<JobEvent> take_events();  ///< what happened since the last call

 private:
  struct Save {  ///< an asynchronous checkpoint on its way to storage
    Tick durable_at = never;
    std::int64_t progress = 0;
    Tick unsaved_ns = 0;
  };
  void book(Tick now);
  void enter(JobState state, Tick now);
  void choose(Tick now);
  void settle(Tick now);
  void keep(std::int64_t progress, Tick unsaved_ns);
  void saved(Tick now);
  void begin_planned(Tick now);
  void lose_unsaved();
  void progress_by(std::int64_t iterations, Tick now);
  bool planned_due(Tick now) const;
  double duration_s(JobState state) const;
  PhaseKind kind_of(JobState state) const;
  void log(Tick tick, const char* kind, std::int64_t entity, std::string text);

  JobParams job_;
  JobSize size_;
  std::shared_ptr<const std::vector<Failure>> failures_;  ///< never changed, so copies share it
  std::size_t failure_ = 0;                               ///< next unexpected one
  std::size_t planned_ = 0;                               ///< next planned one
  JobState state_ = JobState::queued;
  Tick entered_ = 0;  ///< when the state began
  Tick booked_ = 0;   ///< up to where time is booked
  Tick checkpoint_due_ = never;
  std::int64_t progress_ = 0;   ///< iterations of the model as it stands
  std::int64_t durable_ = 0;    ///< iterations that storage holds
  std::int64_t evaluated_ = 0;  ///< progress at the last evaluation
  Save draining_;
  bool stopping_ = false;  ///< the running checkpoint must be durable: a stop follows
  JobBooks books_;
  std::vector<JobEvent> events_;
};

}  // namespace tidewatt::workload
