#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// N heat stores joined by conductances; some of them touch one coolant.
///
///     C_i dT_i/dt = Σ_j G_ij (T_j − T_i) + Gc_i (T_c − T_i) + Q_i
template <std::size_t N>
struct TIDEWATT_API StoreNetwork {
  std::array<double, N> store_J_per_K{};
  std::array<std::array<double, N>, N> joint_W_per_K{};  ///< symmetric, zero diagonal
  std::array<double, N> coolant_W_per_K{};
};

/// The network in its own modes, slowest first: T_i − T_c = Σ_k shape[i][k] z_k,  dz_k/dt = −rate_k z_k + Σ_i gain[k][i] Q_i.
template <std::size_t N>
struct TIDEWATT_API StoreModes {
  std::array<double, N> rate_per_s;
  std::array<std::array<double, N>, N> shape;         ///< [store][mode]
  std::array<std::array<double, N>, N> inverse;       ///< [mode][store]
  std::array<std::array<double, N>, N> gain_K_per_J;  ///< [mode][store]
  std::array<double, N> coolant_W_per_K;
};

/// Eigenvalues onto the diagonal of the symmetric n × n `matrix`, eigenvectors into the columns of `vectors` (both row by
/// row), by cyclic Jacobi rotations: relative accuracy also for the slow modes.
TIDEWATT_API void symmetric_modes(std::span<double> matrix, std::span<double> vectors, std::size_t n);

/// The network in its own modes, from the eigenvectors of C^−1/2 G C^−1/2; capacities must be above 0.
template <std::size_t N>
StoreModes<N> store_modes(const StoreNetwork<N>& w) {
  // S = C^-1/2 G C^-1/2 is symmetric; its eigenvalues are the rates.
  std::array<double, N * N> s{}, q{};
  std::array<double, N> root;
  for (std::size_t i = 0; i < N; ++i) root[i] = std::sqrt(w.store_J_per_K[i]);
  for (std::size_t i = 0; i < N; ++i) {
    double diagonal = w.coolant_W_per_K[i];
    for (std::size_t j = 0; j < N; ++j) {
      if (i == j) continue;
      diagonal += w.joint_W_per_K[i][j];
      s[i * N + j] = -w.joint_W_per_K[i][j] / (root[i] * root[j]);
    }
    s[i * N + i] = diagonal / w.store_J_per_K[i];
  }
  symmetric_modes(s, q, N);
  StoreModes<N> m;
  m.coolant_W_per_K = w.coolant_W_per_K;
  std::array<bool, N> taken{};
  for (std::size_t k = 0; k < N; ++k) {
    std::size_t e = N;
    for (std::size_t c = 0; c < N; ++c)
      if (!taken[c] && (e == N || s[c * N + c] < s[e * N + e])) e = c;
    taken[e] = true;
    m.rate_per_s[k] = s[e * N + e];
    for (std::size_t i = 0; i < N; ++i) {
      m.shape[i][k] = q[i * N + e] / root[i];
      m.inverse[k][i] = q[i * N + e] * root[i];
      m.gain_K_per_J[k][i] = q[i * N + e] / root[i];
    }
  }
  return m;
}

/// Steady rise of store `of` over the coolant per watt into store `into`, K/W. Needs every rate above zero.
template <std::size_t N>
double steady_K_per_W(const StoreModes<N>& m, std::size_t of, std::size_t into) {
  double r = 0.0;
  for (std::size_t k = 0; k < N; ++k) r += m.shape[of][k] * m.gain_K_per_J[k][into] / m.rate_per_s[k];
  return r;
}

/// Effect of a step on one package.
template <std::size_t N>
struct TIDEWATT_API StoreStep {
  std::array<double, N> mean_K;  ///< time means over the step
  double coolant_J;              ///< heat given to the coolant, from its own conductances
};

/// Exact step under constant heat and coolant: z(t) = z0 e^{−λt} + g Q t m(λt), m(x) = (1 − e^{−x})/x.
/// @param resistance_ratio  of this package; its capacities are divided by it, so that the time constants stay
/// @param store_K [N], in and out  @param heat_W [N]
template <std::size_t N>
StoreStep<N> advance(const StoreModes<N>& m, std::array<double, N>& store_K, const std::array<double, N>& heat_W,
                     double coolant_K, double step_s, double resistance_ratio) {
  StoreStep<N> out{};
  std::array<double, N> end{};
  for (std::size_t k = 0; k < N; ++k) {
    double z0 = 0.0, drive = 0.0;
    for (std::size_t i = 0; i < N; ++i) {
      z0 += m.inverse[k][i] * (store_K[i] - coolant_K) / resistance_ratio;
      drive += m.gain_K_per_J[k][i] * heat_W[i];
    }
    const double x = m.rate_per_s[k] * step_s;
    const double decay = math::mean_decay(x);
    const double z1 = z0 * math::exp(-x) + drive * step_s * decay;
    // ∫z dt / t = z0 m(x) + g Q (1 − m(x))/λ; the quotient loses digits for slow modes, where t/2 − λt²/6 replaces it.
    const double lag_s = x > 1e-4 ? (1.0 - decay) / m.rate_per_s[k] : step_s * (0.5 - x / 6.0);
    const double mean = z0 * decay + drive * lag_s;
    for (std::size_t i = 0; i < N; ++i) {
      end[i] += m.shape[i][k] * z1;
      out.mean_K[i] += m.shape[i][k] * mean;
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    store_K[i] = coolant_K + resistance_ratio * end[i];
    out.coolant_J += m.coolant_W_per_K[i] * out.mean_K[i] * step_s;
    out.mean_K[i] = coolant_K + resistance_ratio * out.mean_K[i];
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::thermal
