#include <cmath>

#include "class_map.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

using thermal::n_mode;

// Every mode decays towards its new steady state: −(1 − mean decay) of the step g ΔP/λ on average.
double pause_rise_K(const thermal::PackageModes& reference, double mean_W, double pause_W, double pause_s) {
  double rise_K = 0.0;
  for (std::size_t m = 0; m < n_mode; ++m)
    rise_K += reference.shape[0][m] * reference.gain_K_per_J[m] / reference.rate_per_s[m] * (pause_W - mean_W) *
              (1.0 - math::mean_decay(reference.rate_per_s[m] * pause_s));
  return rise_K;
}

void interpolate_weights(const ClassMap& map, const std::array<double, n_mode>& rate_per_s,
                         std::array<std::vector<double>, n_mode>& out_s) {
  for (std::size_t m = 0; m < n_mode; ++m) {
    const double t = (rate_per_s[m] - map.middle_per_s[m]) * map.per_half_s[m];
    out_s[m].resize(map.used.size());
    for (std::size_t i = 0; i < map.used.size(); ++i)
      out_s[m][i] =
          std::fma(t, std::fma(t, std::fma(t, map.weights(m, 3)[i], map.weights(m, 2)[i]), map.weights(m, 1)[i]),
                   map.weights(m, 0)[i]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
