#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "domain_spares.hpp"
#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// The numbers are part of written results: new states are added at the end.
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
  done,
  ramp_up,         ///< soft start: GPUs released in stages
  ramp_down,       ///< soft stop
  wait_for_spare,  ///< the pool of spares is dry
  run_out,         ///< a replica has failed; the others compute up to the exchange that waits for it
  tear_down        ///< processes end, host by host
};
inline constexpr std::size_t n_job_state = 16;
/// Its name in results, such as "warm_up".
const char* name_of(JobState state);

inline constexpr Tick never = std::numeric_limits<Tick>::max();

/// Hosts that begin something one after another, evenly within `length`, and do it for `window` each.
struct HostSpread {
  Tick length = 0;      ///< 0: all at once
  Tick window = never;  ///< never: to the end
  Tick since = 0;       ///< since the first one could begin
};

/// A job shall stand from the first boundary at or after `at` until `end`.
struct StopRequest {
  Tick at = 0, end = 0;
  bool operator==(const StopRequest&) const = default;
  template <class A>
  void archive(A& a) {
    a(at, end);
  }
};

/// One line of the event log.
struct JobEvent {
  Tick tick = 0;
  std::string
      kind;  ///< start, restart, failure, kill, planned_stop, stop_lapsed, checkpoint, evaluation, no_spare, done
  std::int64_t entity = -1;  ///< node, where there is one
  std::string text;
};

/// Use of the time. Σ state_ns = time since the start; iterate = effective + lost + not yet saved, to the ns.
struct JobBooks {
  std::array<Tick, n_job_state> state_ns{};
  Tick effective_ns = 0;             ///< iterations that a durable checkpoint (or the end) keeps
  Tick lost_ns = 0;                  ///< iterations thrown away, cut ones included
  Tick unsaved_ns = 0;               ///< iterations since the last durable checkpoint
  std::int64_t iterations_run = 0;   ///< whole ones, redone ones counted again
  std::int64_t iterations_lost = 0;  ///< whole ones thrown away
  std::int64_t unexpected = 0;
  std::int64_t thermal = 0;  ///< of those, nodes that their own protection switched off
  std::int64_t power = 0;    ///< of the unexpected ones, losses of the site's power
  std::int64_t planned = 0;
  std::int64_t checkpoints = 0;
  std::int64_t replaced_nodes = 0;
  std::int64_t by_switch_tray = 0, by_rack = 0;  ///< of the unexpected ones; the domain was down
  /// Of the unexpected ones, those of single nodes: of trays, where a scale-up domain has several.
  std::int64_t by_node() const { return unexpected - thermal - power - by_switch_tray - by_rack; }
  /// Time counted in a state.
  Tick in(JobState state) const { return state_ns[static_cast<std::size_t>(state)]; }
  Tick total_ns() const;
  /// (effective + not yet saved) ÷ time since the job got its GPUs; 0 before that.
  double effective_frac() const;
  bool operator==(const JobBooks&) const = default;
  template <class A>
  void archive(A& a) {
    a(state_ns, effective_ns, lost_ns, unsaved_ns, iterations_run, iterations_lost, unexpected, thermal, power, planned,
      checkpoints, replaced_nodes, by_switch_tray, by_rack);
  }
};

/// All that a restart of the simulation needs besides the job's parameters and its list of failures: a plain value.
struct JobLifeState {
  struct Save {  ///< an asynchronous checkpoint on its way to storage
    Tick durable_at = never;
    std::int64_t progress = 0;
    Tick unsaved_ns = 0;
    bool operator==(const Save&) const = default;
    template <class A>
    void archive(A& a) {
      a(durable_at, progress, unsaved_ns);
    }
  };
  JobState state = JobState::queued;
  Tick entered = 0;                   ///< when the state began
  Tick booked = 0;                    ///< end of the counted time
  std::uint64_t failure = 0;          ///< next unexpected one in the list
  std::uint64_t planned = 0;          ///< next planned one in the list
  std::vector<StopRequest> requests;  ///< stops asked for, sorted and apart; over or begun: gone
  Tick held_since = never;            ///< a stop without an end, from outside
  Tick maintenance_ns = 0;            ///< length of the present stop, unless it is held
  Tick detect_ns = 0;                 ///< detection time of the present outage
  Tick run_out_ns = 0;                ///< of that, what others still computed
  std::int64_t failed_node = -1;      ///< node that ended it; -1: not known
  bool spinning = false;              ///< processes of the present outage have not ended yet
  Tick checkpoint_due = never;
  Tick soft_begin = never;     ///< clock ramp of a soft start: its beginning
  std::int64_t progress = 0;   ///< iterations that the model has now
  std::int64_t durable = 0;    ///< iterations in storage
  std::int64_t evaluated = 0;  ///< progress at the last evaluation
  Save draining;
  bool stopping = false;           ///< the running checkpoint must be durable: a stop follows
  bool ramped_down = false;        ///< the soft stop is done, the stop follows
  bool replacing = false;          ///< this outage brings in other nodes or processes
  bool start_held = false;         ///< an outage does not end: nodes cannot run yet
  bool dark = false;               ///< the site has no power: nothing begins
  std::int64_t missing_nodes = 0;  ///< failed ones without a substitute yet
  std::int64_t spare_nodes = 0;    ///< in the pool; negative: as many as wanted
  std::vector<Tick> repaired_at;   ///< nodes under repair, sorted; they join the pool
  DomainState domains;             ///< of a job whose scale-up domains have several nodes; else empty
  JobBooks books;
  bool operator==(const JobLifeState&) const = default;
  template <class A>
  void archive(A& a) {
    a(state, entered, booked, failure, planned, requests, held_since, maintenance_ns, detect_ns, run_out_ns,
      failed_node, spinning, checkpoint_due, soft_begin, progress, durable, evaluated, draining, stopping, ramped_down,
      replacing, start_held, dark, missing_nodes, spare_nodes, repaired_at, domains, books);
  }
};

}  // namespace TIDEWATT_NAMESPACE::workload
