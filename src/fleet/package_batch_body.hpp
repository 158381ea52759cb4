#pragma once
// The inner loops of package_batch.hpp, compiled once per instruction set. Private to fleet.
#include <bit>
#include <cmath>
#include <cstdint>

#include "package_batch.hpp"
#include "tidewatt/base/simd.hpp"

// The rows of a table do not overlap; the compiler cannot know.
#if defined(__clang__)
#define TIDEWATT_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TIDEWATT_APART _Pragma("GCC ivdep")
#else
#define TIDEWATT_APART
#endif

namespace TIDEWATT_NAMESPACE::fleet::detail {

using thermal::n_mode;

/// e^{−x} − 1, relative error 4e-16 for x in [0, 700]; −1 beyond. x = −(n ln2 + r); with q = e^r − 1 (Taylor series of its
/// quotient by r) the result is 2^n q + (2^n − 1), where nothing cancels: for n = 0 the bracket vanishes exactly.
TIDEWATT_INLINE double minus_expm1(double x) {
  constexpr double round_bias = 0x1.8p52;
  const double held = x < 700.0 ? x : 700.0;
  const double biased = std::fma(held, -0x1.71547652b82fep+0, round_bias);
  const double n = biased - round_bias;
  double r = std::fma(n, -0x1.62e42fefa39efp-1, -held);
  r = std::fma(n, -0x1.abc9e3b39803fp-56, r);
  double p = 1.0 / 6227020800.0;
  p = std::fma(p, r, 1.0 / 479001600.0);
  p = std::fma(p, r, 1.0 / 39916800.0);
  p = std::fma(p, r, 1.0 / 3628800.0);
  p = std::fma(p, r, 1.0 / 362880.0);
  p = std::fma(p, r, 1.0 / 40320.0);
  p = std::fma(p, r, 1.0 / 5040.0);
  p = std::fma(p, r, 1.0 / 720.0);
  p = std::fma(p, r, 1.0 / 120.0);
  p = std::fma(p, r, 1.0 / 24.0);
  p = std::fma(p, r, 1.0 / 6.0);
  p = std::fma(p, r, 0.5);
  p = std::fma(p, r, 1.0);
  const double two_n = std::bit_cast<double>((std::bit_cast<std::uint64_t>(biased) + 1023u) << 52);
  return -std::fma(two_n, p * r, two_n - 1.0);
}

/// 2^u, relative error 2e-14, for u up to 1000 (limited there: a die would be at 60,000 K). Interpolation in Chebyshev points.
TIDEWATT_INLINE double exp2_of(double u) {
  constexpr double round_bias = 0x1.8p52;
  const double held = u < 1000.0 ? u : 1000.0;
  const double biased = held + round_bias;
  const double r = held - (biased - round_bias);
  // Even and odd halves side by side: half the latency of one long chain.
  const double r2 = r * r;
  double even = 0x1.63ef969a64d3cp-20, odd = 0x1.b6571de2f2351p-24;
  even = std::fma(even, r2, 0x1.43088e257f341p-13);
  odd = std::fma(odd, r2, 0x1.ffcb76789860fp-17);
  even = std::fma(even, r2, 0x1.3b2ab72b175eep-7);
  odd = std::fma(odd, r2, 0x1.5d87fe908f88ap-10);
  even = std::fma(even, r2, 0x1.ebfbdff8149f2p-3);
  odd = std::fma(odd, r2, 0x1.c6b08d7044119p-5);
  even = std::fma(even, r2, 0x1.000000000003dp+0);
  odd = std::fma(odd, r2, 0x1.62e42fefa39f7p-1);
  const double p = std::fma(odd, r, even);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(biased) << 52));
}

/// A block on its way through a plan. Modes are scaled so that the die's rise over the air is their sum:
/// mode_K[k] = r · shape_die,k · z_k.
struct alignas(64) Work {
  double mode_K[n_mode][n_package_lane];
  double exponent[n_package_lane];  ///< (k/ln 2)(T_air − T_ref): leakage's exponent at zero rise
  double r[n_package_lane];
  double J[n_package_lane];
  double peak_K[n_package_lane];  ///< rise over the air
};

/// What a step of one length does to a block's modes: rows of the table made by `tabulate`.
inline constexpr std::size_t row_full = 0, row_gain = n_mode, row_weight = 2 * n_mode, row_weight_gain = 3 * n_mode,
                             row_feedback = 3 * n_mode + 1, n_row = 3 * n_mode + 2;

/// table[row][length] for a step of d seconds, with c_k the die's rise per joule through mode k and h = Σ c_k e^{−λ_k t} the
/// die's answer to a joule:
///
///     full_k   = e^{−λ_k d},   gain_k = c_k (1 − e^{−λ_k d})/λ_k: rise at the end per watt
///     weight_k = ∫ h(d − t) e^{−λ_k t} dt / ∫ h(t) dt
///
/// The weights give the die temperature as the end of the step will remember it: leakage taken there is right, to first
/// order in temperature, for the die at the end of the step even when the step is longer than the die's own time constant
/// (at the middle, errors are several times larger). For short steps it is the middle.
/// feedback: the rise that leakage's own growth adds until then, per watt of leakage and kelvin of rise. With x = λd/2 of
/// the fastest mode, whose rise 1 − e^{−λt} drives it, its share is (1 − e^{−x} − x e^{−x})/(1 − e^{−x})²: 1/2 for short
/// steps, 1 for long ones.
TIDEWATT_INLINE void tabulate(const thermal::PackageModes& m, double slope_per_K, const double* length_s, std::size_t n,
                              double* table_of) {
  for (std::size_t k = 0; k < n_mode; ++k) {
    double* full = table_of + (row_full + k) * n;
    double* gain = table_of + (row_gain + k) * n;
    const double rate = m.rate_per_s[k], K_per_W = m.shape[0][k] * m.gain_K_per_J[k] / rate;
    TIDEWATT_APART
    for (std::size_t i = 0; i < n; ++i) {
      const double f = minus_expm1(rate * length_s[i]);
      full[i] = 1.0 - f;
      gain[i] = K_per_W * f;
    }
  }
  double* weight_gain = table_of + row_weight_gain * n;
  double* per = table_of + row_feedback * n;  // 1/∫h until the feedback is known
  for (std::size_t i = 0; i < n; ++i) per[i] = weight_gain[i] = 0.0;
  for (std::size_t k = 0; k < n_mode; ++k) {
    const double* gain = table_of + (row_gain + k) * n;
    TIDEWATT_APART
    for (std::size_t i = 0; i < n; ++i) per[i] += gain[i];
  }
  TIDEWATT_APART
  for (std::size_t i = 0; i < n; ++i) per[i] = 1.0 / per[i];
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double* full = table_of + (row_full + j) * n;
    double* weight = table_of + (row_weight + j) * n;
    const double c = m.shape[0][j] * m.gain_K_per_J[j], K_per_W = c / m.rate_per_s[j];
    TIDEWATT_APART
    for (std::size_t i = 0; i < n; ++i) weight[i] = c * length_s[i] * full[i];
    for (std::size_t k = 0; k < n_mode; ++k) {
      if (k == j) continue;
      const double* other = table_of + (row_full + k) * n;
      const double q = m.shape[0][k] * m.gain_K_per_J[k] / (m.rate_per_s[k] - m.rate_per_s[j]);
      TIDEWATT_APART
      for (std::size_t i = 0; i < n; ++i) weight[i] = std::fma(q, full[i] - other[i], weight[i]);
    }
    TIDEWATT_APART
    for (std::size_t i = 0; i < n; ++i) {
      weight[i] *= per[i];
      weight_gain[i] = std::fma(K_per_W, 1.0 - weight[i], weight_gain[i]);
    }
  }
  double* feedback = per;
  const double half_rate = 0.5 * m.rate_per_s[n_mode - 1];
  TIDEWATT_APART
  for (std::size_t i = 0; i < n; ++i) {
    const double x = half_rate * length_s[i], f = minus_expm1(x);
    const double share = x > 1e-3 ? (f - x * (1.0 - f)) / (f * f) : 0.5;
    feedback[i] = slope_per_K * share * weight_gain[i];
  }
}

struct StepView {
  const double* table_of;  ///< [row][length] of this block
  std::size_t n_length, length;
  double length_s, exponent_per_K, more_W;
  const LaneWatts* watts;
  WattBounds bounds;
  TIDEWATT_INLINE double row(std::size_t r) const { return table_of[r * n_length + length]; }
};

template <bool Bounded>
TIDEWATT_INLINE double held(const StepView& s, double W) {
  if constexpr (!Bounded) return W;
  const double below = W < s.bounds.high_W ? W : s.bounds.high_W;
  return below > s.bounds.low_W ? below : s.bounds.low_W;
}

// Loops over modes, written out by the compiler before it looks for vectors over lanes.
struct Rows {
  double of[n_mode];
};
template <std::size_t First>
TIDEWATT_INLINE Rows rows(const StepView& s) {
  Rows r;
  for (std::size_t k = 0; k < n_mode; ++k) r.of[k] = s.row(First + k);
  return r;
}
template <std::size_t K = 0>
TIDEWATT_INLINE double rise_of(const Work& w, std::size_t g) {
  if constexpr (K + 1 == n_mode)
    return w.mode_K[K][g];
  else
    return w.mode_K[K][g] + rise_of<K + 1>(w, g);
}
template <std::size_t K = 0>
TIDEWATT_INLINE double weighted(const Rows& weight, const Work& w, std::size_t g, double sum) {
  if constexpr (K == n_mode)
    return sum;
  else
    return weighted<K + 1>(weight, w, g, std::fma(weight.of[K], w.mode_K[K][g], sum));
}
template <std::size_t K = 0>
TIDEWATT_INLINE void move_modes(const Rows& full, const Rows& gain, double rW, Work& w, std::size_t g) {
  w.mode_K[K][g] = std::fma(full.of[K], w.mode_K[K][g], gain.of[K] * rW);
  if constexpr (K + 1 < n_mode) move_modes<K + 1>(full, gain, rW, w, g);
}

/// One step of one block; its mean power goes to `watts_out` if not null.
template <bool Bounded, bool Record>
TIDEWATT_INLINE void step_block(const StepView& s, Work& w, double* watts_out) {
  const Rows weight = rows<row_weight>(s), full = rows<row_full>(s), gain = rows<row_gain>(s);
  const double weight_gain = s.row(row_weight_gain), feedback = s.row(row_feedback);
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    const double start_K = rise_of(w, g);
    const double leak_W = s.watts->leakage_W[g] * exp2_of(std::fma(s.exponent_per_K, start_K, w.exponent[g]));
    const double fixed_W = s.watts->fixed_W[g] + s.more_W;
    const double start_W = held<Bounded>(s, fixed_W + leak_W);
    const double held_K = weighted(weight, w, g, weight_gain * (w.r[g] * start_W));
    // Leakage grows on the way: its first-order answer to the die's own rise.
    const double felt_K = std::fma(feedback * (w.r[g] * leak_W), held_K - start_K, held_K);
    const double W = held<Bounded>(
        s, std::fma(s.watts->leakage_W[g], exp2_of(std::fma(s.exponent_per_K, felt_K, w.exponent[g])), fixed_W));
    move_modes(full, gain, w.r[g] * W, w, g);
    const double end_K = rise_of(w, g);
    w.peak_K[g] = w.peak_K[g] > end_K ? w.peak_K[g] : end_K;
    w.J[g] = std::fma(W, s.length_s, w.J[g]);
    if constexpr (Record) watts_out[g] = W;
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
