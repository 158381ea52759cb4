#pragma once
#include <limits>

#include "fleet/package_batch.hpp"
#include "tidewatt/base/math.hpp"

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
inline LeakageBalance leakage_balance(double K_per_W, double fixed_W, double leakage_W,
                                      const tidewatt::fleet::LeakageLaw& law, double air_K) {
  const double rise_K = K_per_W * fixed_W;
  const double leak_K = K_per_W * leakage_W * tidewatt::math::exp(law.per_K * (air_K - law.ref_K));
  double x = rise_K;
  // Monotone, quadratic away from the fold and halving the distance at it: 60 steps are below rounding there too.
  for (int i = 0; i < 200; ++i) {
    const double more_K = leak_K * tidewatt::math::exp(law.per_K * x);
    const double gain = law.per_K * more_K;
    const double missing_K = rise_K - x + more_K;
    if (gain >= 1.0 && missing_K > 0.0) return {std::numeric_limits<double>::infinity(), gain, true};
    const double step = missing_K / (1.0 - gain);
    if (!(step > 1e-16 * x)) return {air_K + x, gain, false};
    x += step;
  }
  return {air_K + x, law.per_K * leak_K * tidewatt::math::exp(law.per_K * x), false};
}
