#include "fit_package.hpp"

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::study {

thermal::PackageParams package_with_poles(const thermal::PackageParams& like, const TwoPoles& poles, double fan_frac) {
  thermal::PackageParams p = like;
  const double speed = math::pow(fan_frac, like.convection_exponent_ratio);
  const double total = poles.fast_K_per_W + poles.slow_K_per_W;
  double fast_K_per_W = poles.fast_K_per_W;
  for (int i = 0; i < 400; ++i) {
    const double share = fast_K_per_W / (like.die_base_K_per_W + like.base_sink_K_per_W);
    p.die_base_K_per_W = share * like.die_base_K_per_W;
    p.base_sink_K_per_W = share * like.base_sink_K_per_W;
    p.sink_air_K_per_W = (total - fast_K_per_W) * speed;
    const auto m = thermal::package_modes(p, fan_frac);  // slowest first
    const double slow_s = 1.0 / m.rate_per_s[0], fast_s = 1.0 / m.rate_per_s[1];
    const double slow_part = m.shape[0][0] * m.gain_K_per_J[0] * slow_s;
    const double off = std::abs(slow_s / poles.slow_s - 1.0) + std::abs(fast_s / poles.fast_s - 1.0) +
                       std::abs(slow_part / poles.slow_K_per_W - 1.0);
    if (off < 1e-9) return p;
    p.sink_J_per_K *= std::pow(poles.slow_s / slow_s, 0.7);
    p.base_J_per_K *= std::pow(poles.fast_s / fast_s, 0.7);
    fast_K_per_W =
        std::fmin(0.98 * total, std::fmax(0.02 * total, fast_K_per_W + 0.7 * (slow_part - poles.slow_K_per_W)));
    if (!(p.sink_J_per_K > 0.0 && p.sink_J_per_K < 1e6 && p.base_J_per_K > 1e-6 && p.base_J_per_K < 1e6)) break;
  }
  throw SolverError("no package of die, base and sink has the fitted poles; is the record a mix of several loads?");
}

}  // namespace TIDEWATT_NAMESPACE::study
