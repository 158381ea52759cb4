#pragma once
// What a step does to the modes of packages, node beside node, so that it is computed in vectors. Private to fleet.
#include <array>
#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

using thermal::n_mode;

/// 1 − e^{−x} for x ≥ 0, without cancellation and without a branch.
TIDEWATT_INLINE double decayed(double x) {
  double p = 1.0 / 362880.0;
  p = std::fma(p, -x, 1.0 / 40320.0);
  p = std::fma(p, -x, 1.0 / 5040.0);
  p = std::fma(p, -x, 1.0 / 720.0);
  p = std::fma(p, -x, 1.0 / 120.0);
  p = std::fma(p, -x, 1.0 / 24.0);
  p = std::fma(p, -x, 1.0 / 6.0);
  p = std::fma(p, -x, 0.5);
  p = std::fma(p, -x, 1.0);
  const double far = 1.0 - math::exp(-x);
  return x > 0.05 ? far : x * p;
}

/// [mode][node] of N nodes at most, see thermal::PackageModes.
template <std::size_t N>
struct NodeModes {
  using Row = std::array<double, N>;  ///< [node]
  std::array<Row, n_mode> rate_per_s, per_rate_s, gain_K_per_J, uniform;
  std::array<Row, n_mode> die, sink_W_per_K;       ///< shape of the die; that of the sink × its conductance to the air
  std::array<std::array<Row, 3>, n_mode> inverse;  ///< [mode][store][node]
};
template <std::size_t N>
TIDEWATT_INLINE void set_node_modes(const thermal::PackageModes* const* modes, std::size_t n, NodeModes<N>& out) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto& m = *modes[i];
    for (std::size_t j = 0; j < n_mode; ++j) {
      out.rate_per_s[j][i] = m.rate_per_s[j];
      out.per_rate_s[j][i] = m.per_rate_s[j];
      out.gain_K_per_J[j][i] = m.gain_K_per_J[j];
      out.uniform[j][i] = m.uniform[j];
      out.die[j][i] = m.shape[0][j];
      out.sink_W_per_K[j][i] = m.sink_air_W_per_K * m.shape[2][j];
      for (std::size_t k = 0; k < 3; ++k) out.inverse[j][k][i] = m.inverse[j][k];
    }
  }
}

/// Means over a step of a node's die temperature and of the heat to its air are linear in its packages' temperatures over
/// the air at the beginning, x, how the air moves, and what the GPUs draw:
///   T̄ = T̄_air + r (Σ store x + slope dT_air/dt / r + …),  the same for heat without r.
/// They follow from  area_j = (drive_j t − Δz_j)/λ_j  of every mode, its end from  Δz_j = −left_j z_j + drive_j left_j/λ_j.
/// Moving air drives a mode by −uniform dT_air/dt / r.
template <std::size_t N>
struct ModeSteps {
  using Row = std::array<double, N>;         ///< [node]
  std::array<Row, n_mode> left;              ///< 1 − e^{−λt}
  std::array<Row, n_mode> spent_s, rest_s;   ///< left/λ and (t − left/λ)/λ
  std::array<Row, n_mode> die, heat;         ///< weights of the modes' areas
  std::array<Row, 3> die_store, heat_store;  ///< weights of x
  Row die_slope, heat_slope;
};
/// @param out `left` is set
template <std::size_t N>
TIDEWATT_INLINE void set_mode_steps(const NodeModes<N>& m, double step_s, std::size_t n, ModeSteps<N>& out) {
  const double per_step_s = 1.0 / step_s;
  for (std::size_t j = 0; j < n_mode; ++j) {
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) {
      const double spent_s = out.left[j][i] * m.per_rate_s[j][i], rest_s = (step_s - spent_s) * m.per_rate_s[j][i];
      const double die = m.die[j][i] * per_step_s, heat = m.sink_W_per_K[j][i];
      out.spent_s[j][i] = spent_s;
      out.rest_s[j][i] = rest_s;
      out.die[j][i] = die;
      out.heat[j][i] = heat;
    }
  }
  const auto sum = [](double a, double b, double c) { return (a + b) + c; };
  const auto &die = out.die, &heat = out.heat, &spent_s = out.spent_s, &rest_s = out.rest_s;
  for (std::size_t k = 0; k < 3; ++k) {
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) {
      const double a = spent_s[0][i] * m.inverse[0][k][i], b = spent_s[1][i] * m.inverse[1][k][i],
                   c = spent_s[2][i] * m.inverse[2][k][i];
      out.die_store[k][i] = sum(die[0][i] * a, die[1][i] * b, die[2][i] * c);
      out.heat_store[k][i] = sum(heat[0][i] * a, heat[1][i] * b, heat[2][i] * c);
    }
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double a = rest_s[0][i] * m.uniform[0][i], b = rest_s[1][i] * m.uniform[1][i],
                 c = rest_s[2][i] * m.uniform[2][i];
    out.die_slope[i] = -sum(die[0][i] * a, die[1][i] * b, die[2][i] * c);
    out.heat_slope[i] = -sum(heat[0][i] * a, heat[1][i] * b, heat[2][i] * c);
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
