#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

/// Software ballast: a second process that multiplies matrices whenever the training waits.
struct TIDEWATT_API BallastParams {
  double level_ratio = 0.0;        ///< power that it keeps ÷ board limit
  double period_s = 0.0;           ///< of its monitor
  double launch_s = 0.0;           ///< from the decision to power
  double granule_s = 0.0;          ///< length of one ballast kernel: returning work has to wait for its end
  double share_frac = 0.0;         ///< of the processor that a running kernel takes from returning work
  double monitor_cost_frac = 0.0;  ///< of throughput, always
  double hold_s = 0.0;             ///< how long it replaces work that does not return
  double ramp_down_W_per_s = 0.0;  ///< of one GPU, after that
  void fields(FieldVisitor& v);
};

/// A stretch of a GPU's timeline under ballast.
struct TIDEWATT_API BallastPiece {
  Tick duration = 0;
  std::uint32_t segment = 0;  ///< index of the original segment
  double power_W = 0.0;       ///< mean over the piece
  double ballast_W = 0.0;     ///< of it burned by the ballast
  double work_frac = 1.0;     ///< rate of the segment's work against its rate alone
};

struct TIDEWATT_API BallastOutcome {
  std::vector<BallastPiece> pieces;
  double natural_s = 0.0, total_s = 0.0;
  double burned_J = 0.0;  ///< ∫ ballast, per GPU
  /// Share of the throughput that is lost: 1 − natural/total.
  double lost_throughput_frac() const { return total_s > 0.0 ? 1.0 - natural_s / total_s : 0.0; }
};

/// What ballast makes of a timeline that repeats.
///
/// A segment below the level stays at its own power for the mean detection time (half a monitor period) and the
/// launch, then keeps the level until it ends. The next segment first works beside the last kernel: for the
/// kernel's mean remainder g/2 its work advances at 1 − share, so it takes share · g/2/(1 − share) longer. The monitor
/// takes its share of the throughput always. Assumptions: the ballast's power is controlled to the level; power of
/// work and kernel together is that of the larger of both (by the power limiter); waiting segments are not
/// lengthened by the kernels that fill them. Source: the software ballast of arXiv 2508.14318 [@power_stabilization].
/// @param duration, natural_W one value per segment  @throws InputError if sizes differ
TIDEWATT_API BallastOutcome ballast(const BallastParams& params, double tdp_W, std::span<const Tick> duration,
                                    std::span<const double> natural_W);

/// State of the ballast between stretches.
struct TIDEWATT_API BallastState {
  double level_W = 0.0;  ///< power that it keeps; 0: it does not run
  Tick missing = -1;     ///< how long work has been missing, up to hold_s; −1: no work seen yet, so none is missed
  bool operator==(const BallastState&) const = default;
  template <class A>
  void archive(A& a) {
    a(level_W, missing);
  }
};

/// A stretch of a GPU's timeline whose power ballast keeps at or above `low_W`.
struct TIDEWATT_API BallastStretch {
  Tick duration = 0;
  std::uint32_t segment = 0;  ///< index of the original segment
  double low_W = 0.0;         ///< 0: no ballast runs
  BallastState end;           ///< memory at its end
};

/// Ballast on any stretch of a GPU's timeline, as in a run: as `ballast` above for waits, and where work stays away longer
/// than hold_s it ramps down to what the GPU draws by itself, in stairs of board limit/32. It never ramps up by itself:
/// a GPU that has not worked yet is left alone. Burned power heats the die as any other.
/// Monitoring slows work down; a segment that is none takes exactly its time, however much it draws.
/// @param natural_W [segment] power without ballast  @param works [segment] 0: it is none; empty: all that draw at least the level
/// @param state moves to the end  @throws InputError as `ballast`
TIDEWATT_API std::vector<BallastStretch> ballast_from(BallastState& state, const BallastParams& params, double tdp_W,
                                                      std::span<const Tick> duration, std::span<const double> natural_W,
                                                      std::span<const std::uint8_t> works = {});

/// Largest minus smallest mean over windows of `window_s` of a timeline that repeats, as a meter with this window shows it.
/// @param duration, power_W [segment]  @throws InputError if sizes differ or the window is not positive
TIDEWATT_API double windowed_range_W(std::span<const Tick> duration, std::span<const double> power_W, double window_s);

}  // namespace TIDEWATT_NAMESPACE::mitigation
