#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "class_course.hpp"
#include "class_map.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "fleet_state.hpp"
#include "site.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

namespace detail {
struct BlockList;
}

/// A stretch of a jump: repetitions of the timeline, or a pause in which every GPU does the same.
struct Leg {
  std::int64_t repetitions = 0;  ///< 0: a pause
  Tick duration = 0;
};

/// Kinds of a class that smoothing or ballast made, each by its bounds.
struct HeldKinds {
  std::vector<std::uint32_t> kind;  ///< those that occur, rising
  std::vector<KindCourse> course;   ///< of each
  /// [segment] clock ÷ mean clock, of the nominal chip and of the rank that it waits for
  std::vector<double> ratio, lead_ratio;
};

/// A repetition that is played in parts.
struct WholeRepetition {
  explicit WholeRepetition(const workload::Timeline& of) : timeline(of), more_W(of.classes.size()) {}
  workload::Timeline timeline;
  /// [class][segment] see nominal_more_W: the same for all parts. Empty until one asks for it.
  mutable std::vector<std::vector<double>> more_W;
};

/// Work of a range of nodes: a timeline, its number of repetitions, and the class of each node.
struct FleetTask {
  const workload::Timeline* timeline = nullptr;
  std::int64_t repetitions = 1;  ///< of all legs together
  std::int64_t iterations = 1;   ///< iterations of a job in one repetition: two if smoothed power alternates
  std::vector<Leg> legs;         ///< in order; empty: repetitions and no pause
  bool repeats = true;           ///< an iteration that comes again and again; false: a constant state
  double dip_K = 0.0;  ///< what pauses ahead add to the mean die temperature of the work, for a resistance ratio of 1
  bool dark = false;   ///< the nodes have no power: GPUs, hosts, fans and supplies draw nothing
  bool slice = false;  ///< part of an iteration: its power does not predict the next
  std::uint32_t pause_kind = 0;  ///< what GPUs do in the pauses: an index into kind_…, beyond the timeline's kinds
  std::size_t first_node = 0;    ///< the range is first_node … first_node + node_class.size()
  std::vector<std::uint32_t> node_class;     ///< [node of the range] class in the timeline
  std::vector<double> class_gate_Hz;         ///< [class] clock of the slowest GPU it waits for; 0: none
  std::vector<dvfs::PhaseMix> class_window;  ///< [class] work in the power limiter's window
  /// [class] what the limiter makes of its repetition: limit, clocks by kind, clock by time; and of the rank that it waits for. Empty:
  /// one clock for all of it.
  std::vector<CourseMix> class_course, class_lead;
  std::vector<HeldKinds> class_kinds;  ///< [class] of a timeline with bounds; empty: its kinds are those of the courses
  Tick second_begin = 0;               ///< of two iterations that are one repetition; 0: it is one
  const WholeRepetition* whole = nullptr;  ///< of which `timeline` is a part; nullptr: it is whole
  Tick begins_in_whole = 0;                ///< where in it that part begins
  std::vector<dvfs::PhaseMix> kind_mix;    ///< [kind]
  std::vector<std::uint8_t> kind_context;  ///< [kind] 0: no CUDA context, idle clock
  /// [kind] bounds on a GPU's power (GPU smoothing); 0 and infinity: none.
  std::vector<double> kind_low_W, kind_high_W;
  std::vector<std::uint8_t> class_busy;   ///< [class] part of a job (host activity)
  std::vector<double> kind_reference_W;   ///< [kind] whole milliwatts; yardstick of the input-energy check
  double clock_frac = 1.0;                ///< ceiling on every clock as a share of the highest (soft start and stop)
  double reference_Hz = 0.0;              ///< clock at which the kinds' work is counted
  std::span<const double> inlet_K;        ///< [node of the site] air at the server's front at the last macro step
  std::span<const double> inlet_K_per_s;  ///< [node of the site] how it moves since; empty: not at all
  std::span<const double> flow_frac;      ///< [node of the site] liquid through cold plates ÷ reference; empty: full
  double since_macro_s = 0.0;             ///< time from there to the step's beginning
  double drifts_for_s =
      std::numeric_limits<double>::infinity();  ///< time from there for which the air moves; then it stays
  double before_s = 0.0;  ///< length of the step before: the state's mean die temperatures are of its middle
  std::span<const double> air_J_per_m3_K;        ///< [hall] volumetric heat capacity of its air at the last macro step
  std::span<const double> air_J_per_m3_K_per_s;  ///< [hall] how it moves since; empty: not at all
  std::size_t n_thread = 1;
  /// Work space: nodes by class, of the last two assignments.
  mutable std::array<std::shared_ptr<const detail::BlockList>, 2> kept_blocks;
};
/// Air that moves evenly since the last macro step, in a step: its mean is that after `mean_s`, and `share` of its rate is left.
struct AirDrift {
  double mean_s, share;
};
inline AirDrift drift_in(const FleetTask& task, double step_s) {
  const double begin_s = task.since_macro_s, moves_s = task.drifts_for_s - begin_s;
  if (moves_s >= step_s) return {begin_s + 0.5 * step_s, 1.0};
  if (moves_s <= 0.0) return {task.drifts_for_s, 0.0};
  return {task.drifts_for_s - 0.5 * moves_s * moves_s / step_s, moves_s / step_s};
}
/// Nodes of the task's range.
inline std::size_t n_node_of(const FleetTask& task) { return task.node_class.size(); }
/// Time of all pauses of a task, ns.
inline Tick pause_of(const FleetTask& task) {
  Tick out = 0;
  for (const auto& leg : task.legs) out += leg.repetitions == 0 ? leg.duration : 0;
  return out;
}
/// Time from a task's beginning to its end, ns.
inline Tick duration_of(const FleetTask& task) { return task.timeline->period * task.repetitions + pause_of(task); }

/// How a kind differs in its clock.
inline KindCourse kind_course(const FleetTask& task, std::size_t cls, std::size_t kind) {
  if (task.class_course.empty()) return {};
  if (task.class_kinds.empty()) return task.class_course[cls].kind(kind);
  const auto& held = task.class_kinds[cls];
  const auto at = std::lower_bound(held.kind.begin(), held.kind.end(), kind);
  return at == held.kind.end() || *at != kind ? KindCourse{}
                                              : held.course[static_cast<std::size_t>(at - held.kind.begin())];
}
/// Pace of a class's timeline, relative to the reference clock.
inline double pace_of(const FleetTask& task, std::size_t cls) {
  return task.class_gate_Hz[cls] > 0.0 ? task.class_gate_Hz[cls] / task.reference_Hz : 1.0;
}
/// The limit of a class's GPUs as operating_points takes it. @param limit_W cap without margin
inline void set_falling(const FleetTask& task, std::size_t cls, double limit_W, dvfs::OperatingPointBatch& batch) {
  if (task.class_course.empty()) return;
  batch.falling_W = limit_W - task.class_course[cls].unused_W();
  batch.falling_W_per_Hz = -task.class_course[cls].unused_W_per_Hz();
  batch.falling_per_leakage = -task.class_course[cls].unused_per_leakage();
}

/// Mean AC power of each class in each of its segments, W, summed over the class's nodes.
using ClassPower = std::vector<std::vector<double>>;

/// Mean die temperature of every GPU over the coming `ahead_s` if it went on to draw `mean_W`: exact for the package,
/// fans and rear inlet at their means. Where `mean_W` is 0, `nominal_W` [class] is taken.
void predict(const Fleet& fleet, FleetState& state, const FleetTask& task, std::span<const double> nominal_W,
             double ahead_s, FleetSignals& signals);

/// Clock that each GPU could have if it waited for no other, from the limits and the predicted die temperatures.
/// @param ahead_s length of the coming step: the thermal limiter keeps the die below its target until then
void own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, FleetSignals& signals);
/// Both, one block of nodes after the other: what one leaves in the cache the other finds.
void predict_with_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task,
                             std::span<const double> nominal_W, double ahead_s, FleetSignals& signals);

/// The same for GPUs without a context: the idle clock.
void idle_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, FleetSignals& signals);

/// Repeats the timeline `task.repetitions` times, pauses in between, in one exact affine jump per package; leakage, fans and rear inlet
/// are taken at their means over the jump (second order).
ClassPower advance_periodic(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task, std::span<const ClassMap> maps);

/// Plays the timeline once, every segment integrated; leakage follows the die from segment to segment (second order).
ClassPower advance_resolved(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task);

}  // namespace TIDEWATT_NAMESPACE::fleet
