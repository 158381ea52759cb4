#pragma once
// Private to sim: one occupant of a range of nodes, and what its parts share.
#include <optional>
#include <string>
#include <vector>

#include "connection/load_trace.hpp"
#include "fleet/schedule_audit.hpp"
#include "fleet/task_maps.hpp"
#include "fleet/training_task.hpp"
#include "hall_loop.hpp"
#include "recorder.hpp"
#include "workload/job_life.hpp"

namespace TIDEWATT_NAMESPACE::sim {

class Agenda;

/// How often the fleet was moved, by kind of step; how fast a run is follows from these.
struct StepCounts {
  std::int64_t jumps = 0, repetitions = 0, slices = 0, holds = 0, macro_steps = 0;
};

class FleetClocks;
class GpuHours;

/// Context of an occupant's step: constants, the fleet's state, and receivers of its results.
struct StepContext {
  const Scenario& scenario;
  const fleet::Fleet& fleet;
  const Agenda& agenda;
  std::size_t n_thread;
  fleet::FleetState& state;
  fleet::FleetSignals& signals;
  fleet::FleetMeters& meters;
  fleet::ScheduleAudit& audit;
  HallLoop& halls;
  std::vector<connection::LaneLoad>& loads;
  Recorder& recorder;
  StepCounts& counts;
  GpuHours* gpu_hours;  ///< nullptr: not asked for
  FleetClocks* clocks;  ///< nullptr: not asked for
};

/// Whether a job in this state works or is about to; false in an outage, where processes may still spin.
inline bool runs(workload::JobState s) {
  using enum workload::JobState;
  return s != queued && s != done && s != run_out && s != detect && s != tear_down && s != replace &&
         s != wait_for_spare && s != maintenance;
}
/// Whether its GPUs compute.
inline bool works(workload::JobState s) {
  return s == workload::JobState::iterate || s == workload::JobState::evaluate;
}

/// An occupant's name and nodes; `lane` of the site's load.
struct JobPlace {
  std::string name;
  std::size_t lane, first_node, n_node;
};

/// An occupant of a range of nodes, with its own time: a training job, or none (idle nodes).
struct Job {
  JobPlace place;
  std::optional<fleet::TrainingTask> training;  ///< absent: idle nodes
  std::optional<workload::JobLife> life;        ///< likewise
  /// All state that a restart needs, besides `training` and `life`.
  struct State {
    Tick now = 0;
    workload::JobState doing = workload::JobState::done;  ///< in the last step; a jump through pauses iterates
    Tick last_period = 0;                                 ///< of the last iteration; 0: there was none
    double last_step_s = 0.0;                             ///< how far the limiters look ahead
    double before_s = 0.0;            ///< over which the fleet's mean die temperatures are; 0: present values
    bool dark = false;                ///< its nodes have no power
    bool inside = false;              ///< the last step ended within an iteration
    bool context = false;             ///< in the last step its GPUs had processes
    connection::LoadEdges last_load;  ///< of the last repeated iteration
    fleet::KindTemperatureOffsets kind_temperature_offsets;  ///< of the present work
    template <class A>
    void archive(A& a) {
      auto& [at, what, period, step, before, no_power, within, processes, load, offsets] = *this;
      a(at, what, period, step, before, no_power, within, processes, load.edge, load.load_W, offsets);
    }
  } state;
  /// Recomputed by every step.
  struct Scratch {
    fleet::FleetTask task;
    workload::JobStep step;  ///< next step of the job's life
    workload::Timeline hold, piece;
    std::vector<fleet::ClassMap> maps;
  } scratch;
};

/// Jobs stand consecutively from the first node on; their order is that of their lanes. @param spec of the scenario
JobPlace place_of(const Scenario& s, const fleet::Fleet& fleet, const JobSpec& spec);
/// How a job acts on its nodes and what an iteration of it is, for runs and for views of one iteration.
fleet::TrainingTask::Options training_options(const Scenario& s, const JobSpec& spec, const JobPlace& place);
workload::IterationModel training_model(const Scenario& s, const fleet::Fleet& fleet, const JobSpec& spec,
                                        const JobPlace& place);

}  // namespace TIDEWATT_NAMESPACE::sim
