#pragma once
#include <cstdint>
#include <vector>

#include "tidewatt/base/tick.hpp"

namespace tidewatt::mitigation {

/// From `at` on, this share of the GPUs runs (soft start and stop), or this cap holds (watts), or this set point (K).
struct RampStep {
  Tick at = 0;
  double value = 0.0;
};

/// Groups of GPUs that start or stop one after another so that the site's power moves no faster than a rate.
///
///     n = smallest with  ΔP/n <= step limit,   interval = (ΔP/n)/rate
///
/// @param from_frac, to_frac shares of the GPUs running before and after  @param full_W power of all of them running,
/// above what they draw stopped  @param rate_W_per_s > 0  @param step_W largest single step, > 0
/// @return steps of the share, the first at `begin`; the last is `to_frac`  @throws InputError
std::vector<RampStep> soft_ramp(Tick begin, double from_frac, double to_frac, double full_W, double rate_W_per_s,
                                double step_W);

/// A cap that moves on a straight line in steps of at most `step_W`: into a curtailment and out of it.
/// @throws InputError for a rate or step not above 0, or more than a million steps
std::vector<RampStep> cap_ramp(Tick begin, double from_W, double to_W, double rate_W_per_s, double step_W);

/// Cooling below the usual set point before an event, so that the plant can do less during it.
struct PrecoolParams {
  double set_K = 0.0;         ///< usual supply set point
  double lowered_K = 0.0;     ///< by how much it is lowered
  double mass_J_per_K = 0.0;  ///< heat capacity of coolant, metal and air that takes part
  double cop_ratio = 0.0;     ///< heat moved per electricity of the plant at the event
  double approach_s = 0.0;    ///< time constant with which the mass follows the set point
};
struct Precool {
  std::vector<RampStep> set_K;  ///< schedule of the set point
  double stored_J = 0.0;        ///< heat that the mass can take during the event: C ΔT (1 − e^(−lead/τ))
  double relief_W = 0.0;        ///< mean electric power that the plant can leave out over the event
  double extra_J = 0.0;         ///< electricity drawn before the event for it
};
/// @param lead how long before the event the set point is lowered  @throws InputError
Precool precool(const PrecoolParams& params, Tick event, Tick duration, Tick lead);

}  // namespace tidewatt::mitigation
