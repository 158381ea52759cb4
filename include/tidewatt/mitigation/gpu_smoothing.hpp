#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

/// GPU power smoothing with the knobs of NVML's profile (Blackwell and later; a what-if on older chips).
struct TIDEWATT_API GpuSmoothingParams {
  double floor_ratio = 0.0;        ///< lowest power while active ÷ board limit
  double ramp_up_W_per_s = 0.0;    ///< per GPU
  double ramp_down_W_per_s = 0.0;  ///< per GPU
  double hysteresis_s = 0.0;       ///< time for which the floor is kept after work stops before power ramps down
  void fields(FieldVisitor& v);
};

/// State of the smoothing between stretches.
struct TIDEWATT_API SmoothingState {
  double level_W = 0.0;  ///< smoothed power now
  Tick missing = 0;      ///< how long natural power has been below the floor, up to the hysteresis
  bool operator==(const SmoothingState&) const = default;
  template <class A>
  void archive(A& a) {
    a(level_W, missing);
  }
};

/// A stretch of a GPU's timeline with its power kept between two bounds.
struct TIDEWATT_API SmoothedPiece {
  Tick duration = 0;
  std::uint32_t segment = 0;                                ///< index of the original segment
  double low_W = 0.0;                                       ///< burns up to this
  double high_W = std::numeric_limits<double>::infinity();  ///< throttled down to this
  SmoothingState end = {};                                  ///< memory at its end
};

/// Speed of a GPU's work while its power is kept below that of the work.
struct TIDEWATT_API ThrottleCurve {
  std::vector<double> power_W;     ///< rising; the first: it waits, the last: natural power
  std::vector<double> speed_frac;  ///< at these, 0 to 1
  /// Speed at a power `W`, in watts, linear between the points; a share, 0 to 1.
  double at(double W) const;
};

/// What smoothing makes of a stretch of a GPU's timeline that begins in `state`, which moves to its end.
///
/// Falling: power leaves its level at no more than ramp_down, never below the floor until work has been missing for
/// the hysteresis, then ramps on to its natural value. Rising: at no more than ramp_up; while throttled, work advances
/// as its throttle curve says, or without one in proportion (level − waiting) / (natural − waiting), as if clocks were left
/// out; the segment takes longer. Ramps are staircases on a grid of
/// board limit/32, each stair at its mean level; a part that a segment cuts out of one is rounded to board limit/64.
/// @param natural_W [segment] power without smoothing  @param waiting_W power of a GPU that does no work
/// @param curve [segment], empty or null: in proportion  @param waits [segment] 1: it takes exactly its time, though it draws more than
/// waiting does (ballast fills it); empty: none
TIDEWATT_API std::vector<SmoothedPiece> smooth_from(SmoothingState& state, const GpuSmoothingParams& params,
                                                    double tdp_W, std::span<const Tick> duration,
                                                    std::span<const double> natural_W, double waiting_W,
                                                    std::span<const ThrottleCurve* const> curve = {},
                                                    std::span<const std::uint8_t> waits = {});

}  // namespace TIDEWATT_NAMESPACE::mitigation
