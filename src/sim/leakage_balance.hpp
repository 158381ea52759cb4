#pragma once
#include "package_batch.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Where a die settles.
struct LeakageBalance {
  double die_K;  ///< infinite when it runs away
  double gain;   ///< of the loop at that temperature: R dP_leak/dT; at least 1 means runaway
  bool runaway;
};

/// Steady die temperature under constant power with leakage: the lower root of
///
///     x = R (P + L e^{k x}),   x = T − T_air,   L = leakage at air temperature.
///
/// It exists if and only if k R L e^{1 + k R P} ≤ 1 (the fold; x = RP − W(−k R L e^{k R P})/k with Lambert's W). Newton from
/// x = RP climbs monotonically to the root because the right side is convex; a slope that reaches 1 on the way
/// proves that there is none. Runaway is a result, not an error.
/// @param K_per_W steady resistance of the package, its own ratio included, > 0
/// @param leakage_W at law.ref_K
LeakageBalance leakage_balance(double K_per_W, double fixed_W, double leakage_W, const LeakageLaw& law, double air_K);

}  // namespace TIDEWATT_NAMESPACE::sim
