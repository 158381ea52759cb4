#include "leakage_balance.hpp"

#include <limits>

#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::sim {

LeakageBalance leakage_balance(double K_per_W, double fixed_W, double leakage_W, const LeakageLaw& law, double air_K) {
  const double rise_K = K_per_W * fixed_W;
  const double leak_K = K_per_W * leakage_W * math::exp(law.per_K * (air_K - law.ref_K));
  double x = rise_K;
  // Monotone, quadratic away from the fold and halving the distance at it: 60 steps are below rounding there too.
  for (int i = 0; i < 200; ++i) {
    const double more_K = leak_K * math::exp(law.per_K * x);
    const double gain = law.per_K * more_K;
    const double missing_K = rise_K - x + more_K;
    if (gain >= 1.0 && missing_K > 0.0) return {std::numeric_limits<double>::infinity(), gain, true};
    const double step = missing_K / (1.0 - gain);
    if (!(step > 1e-16 * x)) return {air_K + x, gain, false};
    x += step;
  }
  return {air_K + x, law.per_K * leak_K * math::exp(law.per_K * x), false};
}

}  // namespace TIDEWATT_NAMESPACE::sim
