#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/tick.hpp"

namespace tidewatt::mitigation {

/// An order of the utility: draw no more than this, from then, for so long.
struct CurtailmentOrder {
  Tick issued = 0, notice = 0, duration = 0;
  double limit_W = 0.0;
};

/// What a site can do to meet the order in time.
struct CurtailmentMeans {
  double storage_W = 0.0;     ///< discharging power, AC side; 0: none
  double storage_J = 0.0;     ///< energy available for the order, AC side
  double cap_floor_W = 0.0;   ///< site power with every GPU at its lowest cap
  double paused_W = 0.0;      ///< site power with the jobs paused
  double ramp_W_per_s = 0.0;  ///< how fast caps and pauses move the site, > 0
  double margin_frac = 0.0;   ///< kept below the limit
};

/// How much each measure gives. Their order: storage as far as its energy lasts, then caps, then a pause.
struct CurtailmentPlan {
  double storage_W = 0.0, cap_W = 0.0;  ///< storage's share; level that caps hold the load at
  bool pause = false;                   ///< caps alone are not enough: the jobs pause
  double shortfall_W = 0.0;             ///< what even a pause leaves above the limit
  Tick ramp_begin = 0, ramp_end = 0;    ///< of the load's move down
  Tick late = 0;                        ///< how long after the start of the order the ramp ends
};

/// @param load_W expected load without measures  @throws InputError if a duration, ramp or level makes no sense
CurtailmentPlan plan_curtailment(const CurtailmentOrder& order, const CurtailmentMeans& means, double load_W);

struct CurtailmentState {
  Tick now = 0;
  double storage_left_J = 0.0;
  bool operator==(const CurtailmentState&) const = default;
};

/// Energies; each is summed from its own equation.
struct CurtailmentMeters {
  CompensatedSum asked_J;      ///< load without measures
  CompensatedSum held_back_J;  ///< by caps or pause
  CompensatedSum storage_J;    ///< given by storage
  CompensatedSum drawn_J;      ///< at the connection
  CompensatedSum over_J;       ///< above the limit while the order holds
  std::int64_t n_over = 0;     ///< bins above the limit while it holds
  /// Relative, dimensionless.
  double closure() const;      ///< |asked − held back − storage − drawn| / asked
};

/// The plan applied to a stream of 1 ms means:
///
///     load = min(asked, ceiling(t)),   ceiling: straight from the load before to the cap and back at the end,
///     connection = load − storage,     storage <= its share, its energy and what is above the limit
///
/// Assumption: capped work is lost for the time (the simulation slows its jobs; the figure here is its energy).
class Curtailment {
 public:
  /// @param load_W expected load without measures  @throws InputError as plan_curtailment
  Curtailment(const CurtailmentOrder& order, const CurtailmentMeans& means, double load_W);
  /// The storage full, the clock at `now`.
  CurtailmentState start(Tick now) const { return {now, means_.storage_J}; }
  double ceiling_W(Tick at) const;  ///< +inf outside the order and its ramps
  /// @param drawn_W same length as asked_W, may be the same memory  @throws InputError if lengths differ
  void step(std::span<const double> asked_W, std::span<double> drawn_W, CurtailmentState& state,
            CurtailmentMeters& meters) const;
  const CurtailmentPlan& plan() const { return plan_; }

 private:
  CurtailmentOrder order_;
  CurtailmentMeans means_;
  double load_W_;
  CurtailmentPlan plan_;
  Tick begin_, end_;
};

}  // namespace tidewatt::mitigation
