#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "task.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// A timeline under smoothing and ballast, by the kinds of the work itself: what the limiter sees.
struct HeldWork {
  workload::Timeline timeline;
  std::vector<std::vector<dvfs::PowerBounds>> bounds;  ///< [class][segment]; empty: none
};

/// A job's repetition without end: smoothing and ballast begin each where the last one left them. Where slow ramps alternate, it is one
/// of both. They follow the GPU that sets a class's pace, a chip that needs more voltage than the nominal one.
class HeldRepetition {
 public:
  /// @param limit_W see BoardPower  @param pace_Hz [class] mean clock  @param kind [class][kind] clocks by kind of work; empty: one for all
  HeldRepetition(const workload::Timeline& timeline, const PowerHold& hold, const NodeType& type, double limit_W,
                 double reference_Hz, std::vector<double> pace_Hz, std::vector<std::vector<dvfs::KindClock>> kind = {});
  /// @param slow [class] places of the chips, see ChipPlace  @returns [class] their mean power, with what they burn, W
  std::vector<double> play(std::span<const double> slow);
  /// Plays chips that draw the limit: whoever does not set the pace draws it too, at a higher clock. @param limit_W [class] mean that the
  /// limiter lets through  @param slow [class] places to begin at; become those found  @param most [class] slowest place to look at; 0:
  /// its power sets no clock
  void play_at_limit(std::span<const double> limit_W, std::span<const double> most, std::vector<double>& slow);
  /// What was played last.
  HeldWork work() const;

 private:
  const workload::Timeline& timeline_;
  const PowerHold& hold_;
  const NodeType& type_;
  double limit_W_, reference_Hz_;
  std::vector<double> pace_Hz_;
  std::vector<std::vector<dvfs::KindClock>> kind_;
  std::vector<dvfs::PhaseMix> mix_;
  std::vector<std::uint8_t> context_;
  std::vector<HoldState> state_;  ///< [class] where the last one ended
  HeldTimeline held_;
};

/// [class] the kinds of a held task at the clocks of its courses: where smoothing or ballast bound a kind of work, the clock is another
/// than in the mean of that work.
/// @param from_kind [kind] of the work without bounds
std::vector<HeldKinds> held_kinds(const FleetTask& task, const NodeType& type,
                                  std::span<const std::uint32_t> from_kind);

}  // namespace TIDEWATT_NAMESPACE::fleet
