#pragma once
// Private to sim: what an Engine holds.
#include <chrono>
#include <optional>

#include "tidewatt/sim/build_fleet.hpp"
#include "hall_loop.hpp"
#include "recorder.hpp"
#include "schedule_walk.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/training_task.hpp"
#include "tidewatt/workload/job_life.hpp"

namespace tidewatt::sim {

cooling::Weather make_weather(const Scenario& scenario);

/// One line of the energy audit, J.
struct AuditLevel {
  std::string name;
  double in_J, out_J, stored_J;
  double closure() const;
};

struct Engine::Impl {
  Impl(const Scenario& s, const RunOptions& o);

  void step();
  Result finish();

  // One step's business, in physical order.
  struct Length {
    std::int64_t repetitions = 1;
    bool resolved = false;
    bool cut = false;
  };
  void ask();                       // what the job wants; sets the task
  Length choose_length();           // how far this step goes
  void advance(const Length& length);
  void work_done(const Length& length);
  void macro_step();
  std::vector<ClassMap> class_maps() const;
  void spin_up();
  void take_job_events();
  void watch_limits();
  std::vector<AuditLevel> audit() const;
  double input_error() const;
  void summarise(Result& result, const std::vector<AuditLevel>& levels);

  Scenario scenario;
  RunOptions options;
  std::chrono::steady_clock::time_point wall_start = std::chrono::steady_clock::now();
  Tick end;
  cooling::Weather weather;
  Fleet fleet;
  // State: all and only what a restart needs.
  Tick now = 0;
  Tick macro_begin = 0;
  FleetState state;
  std::optional<workload::JobLife> life;
  std::int64_t settled = 0;            ///< steps since the last start or outage
  std::int64_t iterating_settled = 0;  ///< the same when the job last iterated
  std::int64_t to_resolve = 0;         ///< iterations still to resolve after a change
  bool changed = true;                 ///< the job does something else than in the last step
  bool said_hot = false, said_cap = false;
  double last_step_s = 0.0;  ///< how far the limiters look ahead
  workload::JobState last_state = workload::JobState::done;
  // Parts that hold their own memory.
  std::optional<HallLoop> halls;
  std::optional<SiteStream> stream;
  std::optional<TrainingTask> task_maker;
  std::optional<Recorder> recorder;
  ScheduleWalk walk;
  FleetMeters meters;
  // Signals: recomputed each step.
  FleetSignals signals;
  FleetTask task;
  workload::JobStep job_step;
  workload::Timeline graded_timeline;
};

}  // namespace tidewatt::sim
