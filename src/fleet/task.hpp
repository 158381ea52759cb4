#pragma once
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "fleet_step.hpp"
#include "nominal_power.hpp"
#include "pacing_gpu.hpp"
#include "tidewatt/mitigation/ballast.hpp"
#include "tidewatt/mitigation/gpu_smoothing.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Die temperature for the power of a nominal GPU, if no die of the fleet is meant: a loaded chip in air [assumed].
inline constexpr double nominal_die_K = 338.15;

/// The work of one phase in the governor's terms.
dvfs::PhaseMix mix_of(const workload::PhaseKind& kind);

/// Work inside the window of `window_s` seconds in which a class would draw most, over the repeating timeline.
/// @param timeline at pace 1  @param nominal_W [kind]
dvfs::PhaseMix worst_window(const workload::Timeline& timeline, std::size_t cls, std::span<const double> nominal_W,
                            double window_s);

/// Fills everything of a task that follows from its timeline's kinds.
void set_kinds(FleetTask& task, const workload::Timeline& timeline, const NodeType& type, double reference_Hz);

/// Number of the kind of a rank that waits; the last kind where there is none.
std::uint32_t wait_kind_of(const workload::Timeline& timeline);

/// Powers of a GPU's board.
struct BoardPower {
  double tdp_W;
  double limit_W =
      std::numeric_limits<double>::infinity();  ///< mean that the limiter lets through: nothing is burned above it
};

/// Devices between a GPU's work and its power: first ballast beside the work, then the chip's own smoothing.
struct PowerHold {
  std::optional<mitigation::GpuSmoothingParams> smoothing;
  std::optional<mitigation::BallastParams> ballast;
  bool any() const {
    return smoothing || (ballast && (ballast->level_ratio > 0.0 || ballast->monitor_cost_frac > 0.0));
  }
  /// One owner for what a board may draw, the power limiter: a floor or a level above what it lets through gives way to it.
  PowerHold within(const BoardPower& board) const;
  /// Whether one does.
  bool gives_way(const BoardPower& board) const;
};

/// Their state for one GPU.
struct HoldState {
  mitigation::SmoothingState smoothing;
  mitigation::BallastState ballast;
  bool operator==(const HoldState&) const = default;
  template <class A>
  void archive(A& a) {
    a(smoothing, ballast);
  }
};

/// A timeline with smoothing and ballast, and the power bounds of its new kinds.
struct HeldTimeline {
  workload::Timeline timeline;
  std::vector<double> low_W, high_W;     ///< [kind]
  std::vector<std::uint32_t> from_kind;  ///< [kind] of the timeline without smoothing and ballast
  struct Mark {
    Tick end;
    HoldState state;
  };
  std::vector<std::vector<Mark>> marks;  ///< [class][segment] smoothing state at the segment's end
};

/// Applies ballast and smoothing to every class. Where all classes meet, those that lose less time wait for the slowest;
/// a class that is late after its last work waits less. Waits between work (a pipeline's bubbles) keep their length.
/// @param natural_W [class][kind] nominal power  @param wait_kind kind that waits  @param waiting_W [class] power of a GPU
/// that does no work  @param state [class] at the beginning; moves to the end  @param curve [class][kind], or empty
/// @param peak_W [class] work that would draw more is throttled to it by its curve; empty: nothing is
HeldTimeline hold_power(const workload::Timeline& timeline, const PowerHold& hold, const BoardPower& board,
                        std::span<const std::vector<double>> natural_W, std::uint32_t wait_kind,
                        std::span<const double> waiting_W, std::span<HoldState> state,
                        std::span<const std::vector<mitigation::ThrottleCurve>> curve = {},
                        std::span<const double> peak_W = {});
/// `second` after `first` as one timeline. @pre the same classes
HeldTimeline joined(HeldTimeline first, const HeldTimeline& second);
/// Mean power of a class over one repetition of a timeline with smoothing and ballast.
double held_mean_W(const HeldTimeline& held, std::size_t cls, std::span<const double> natural_W);

/// State of a class `at` ticks after the beginning: levels on straight lines between marks. @param begin before it
HoldState remembered(const std::vector<HeldTimeline::Mark>& marks, const HoldState& begin, Tick at);

/// What happens from `from` to `to` within one repetition.
workload::Timeline slice(const workload::Timeline& timeline, Tick from, Tick to);

}  // namespace TIDEWATT_NAMESPACE::fleet
