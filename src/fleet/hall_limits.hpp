#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "controls.hpp"
#include "site.hpp"
#include "stage_courses.hpp"
#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Limits in force in the halls of a job, the tightest first. Ranks of the same work under other limits are classes of their own.
struct HallLimits {
  std::vector<Controls> of;
  std::vector<std::size_t> hall;  ///< [limit] one that has it
  std::vector<std::size_t> node;  ///< [node of the job] its limit; empty: all have one
  std::size_t n() const { return of.size(); }
  /// Class of a node's ranks: groups hold limits, and limits stages. @param i node of the job  @param n_stage classes of a limit
  std::uint32_t class_of(std::size_t i, std::size_t group, std::int64_t stage, std::size_t n_stage) const {
    const std::size_t limit = node.empty() ? 0 : node[i];
    return static_cast<std::uint32_t>((group * n() + limit) * n_stage + static_cast<std::size_t>(stage));
  }
  /// Repeats the classes of every group of a timeline for ranks under each limit. @param n_stage classes of a group
  void repeat_classes(std::size_t n_stage, workload::Timeline& timeline) const;
};

/// @param of_hall [hall]  @param halls of the job  @param node_hall [node of the job] its hall
HallLimits limits_of(std::span<const Controls> of_hall, std::span<const std::size_t> halls,
                     std::span<const std::uint32_t> node_hall);

/// What a job's stages draw at one kind of work, and their clocks under the limits of its halls.
class StageWindows {
 public:
  StageWindows() = default;
  /// At the reference clock. @param courses those that every limit begins with
  StageWindows(const workload::IterationModel& model, const workload::Timeline& at_reference, const NodeType& type,
               StageCourses courses);
  /// Clocks under the limits in force. @param clock_frac of the highest clock
  void set_limits(const workload::IterationModel& model, const Fleet& fleet, const HallLimits& limits,
                  double clock_frac);
  /// Classes of ranks that wait for none, under each limit. @returns [class] mean power of a nominal chip, W
  std::vector<double> set_alone(const HallLimits& limits, FleetTask& task) const;
  /// Adds the courses of a group under each limit; where ranks wait, all do for those under the tightest one, see StageCourses::add.
  void add(const workload::IterationModel& model, const Fleet& fleet, const HallLimits& limits, double gate_Hz,
           double slowest_Hz, FleetTask& task);
  const dvfs::PhaseMix& mix(std::size_t stage) const { return mix_[stage]; }
  double period_s() const { return period_s_; }
  /// Cap of the tightest limit's courses, W, and their highest clock; those of the board without limits.
  double cap_W(const NodeType& type) const { return courses_.empty() ? type.usual.cap_W : courses_.front().cap_W(); }
  double max_Hz(const NodeType& type) const {
    return courses_.empty() ? type.gpu.clock_max_Hz() : courses_.front().max_Hz();
  }
  /// [replica] of its slowest GPU, as its chips are made; empty: not known under these limits
  std::vector<double> rated_Hz;

 private:
  std::vector<dvfs::PhaseMix> mix_;  ///< [stage] worst window
  std::vector<double> mean_W_;       ///< [stage] of a nominal chip, the first guess after a cold start
  double period_s_ = 0.0;
  StageCourses none_;                  ///< without limits yet: those of a limit begin with it
  std::vector<StageCourses> courses_;  ///< [limit]
};

}  // namespace TIDEWATT_NAMESPACE::fleet
