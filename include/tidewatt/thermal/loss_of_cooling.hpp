#pragma once
#include <functional>

#include "tidewatt/thermal/store_network.hpp"

namespace tidewatt::thermal {

/// What the GPU's own protection does while it heats up.
struct HeatProtection {
  double target_K;    ///< thermal limiter starts
  double slowdown_K;  ///< hardware slowdown
  double shutdown_K;  ///< hardware shutdown
};

/// Seconds from the loss of cooling; infinity where it does not come within the horizon.
struct LossOfCooling {
  double throttle_s;   ///< die at its thermal target: clocks start to fall
  double slowdown_s;   ///< die at hardware slowdown
  double shutdown_s;   ///< die at hardware shutdown
  double end_die_K;    ///< at shutdown or at the horizon
  double energy_in_J;  ///< put in by then
};

/// Board power for a die temperature; `slowed` is true from the slowdown on.
using HeatingPower = std::function<double(double die_K, bool slowed)>;

/// A GPU whose coolant stops: exact steps of `step_s` in the modes of the remaining paths (fans off, pump stopped), from the
/// temperatures it had, its power following its own temperature. Times are interpolated inside the step.
/// @param network  with the conductance that is left  @param store_K  store 0 is the die
/// @param coolant_K  of the path that still carries heat away
/// @returns times in s, infinite where nothing happens within the horizon
template <std::size_t N>
LossOfCooling loss_of_cooling(const StoreNetwork<N>& network, std::array<double, N> store_K, double coolant_K,
                              const HeatProtection& protection, const HeatingPower& power_W, double step_s,
                              double horizon_s);

}  // namespace tidewatt::thermal
