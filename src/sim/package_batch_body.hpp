#pragma once
// The inner loops of package_batch.hpp, compiled once per instruction set. Private to sim.
#include <bit>
#include <cmath>
#include <cstdint>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/sim/package_batch.hpp"

namespace tidewatt::sim::detail {

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

/// 2^u, relative error 2e-14, for u up to 1000 (held there: a die would be at 60,000 K). Interpolation in Chebyshev points.
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
  double mode_K[n_mode][n_lane];
  double exponent[n_lane];  ///< (k/ln 2)(T_air − T_ref): leakage's exponent at zero rise
  double r[n_lane];
  double J[n_lane];
  double peak_K[n_lane];    ///< rise over the air
};

/// What a step of one length does to a block's modes: rows of the table made by `tabulate`.
inline constexpr std::size_t row_half = 0, row_full = n_mode, row_gain = 2 * n_mode, row_half_gain = 3 * n_mode,
                             n_row = 3 * n_mode + 1;

/// table[row][length]: e^{−λd/2} and e^{−λd} of each mode, the rise per watt over the whole step, and the die's over the
/// first half.
TIDEWATT_INLINE void tabulate(const thermal::PackageModes& m, const double* length_s, std::size_t n, double* table_of) {
  double* half_gain = table_of + row_half_gain * n;
  for (std::size_t i = 0; i < n; ++i) half_gain[i] = 0.0;
  for (std::size_t k = 0; k < n_mode; ++k) {
    double* half = table_of + (row_half + k) * n;
    double* full = table_of + (row_full + k) * n;
    double* gain = table_of + (row_gain + k) * n;
    const double half_rate = 0.5 * m.rate_per_s[k];
    const double K_per_W = m.shape[0][k] * m.gain_K_per_J[k] / m.rate_per_s[k];
    for (std::size_t i = 0; i < n; ++i) {
      const double h = minus_expm1(half_rate * length_s[i]);  // 1 − e^{−λd/2}
      const double f = h * (2.0 - h);                         // 1 − e^{−λd}
      half[i] = 1.0 - h;
      full[i] = 1.0 - f;
      gain[i] = K_per_W * f;
      half_gain[i] = std::fma(K_per_W, h, half_gain[i]);
    }
  }
}

struct StepView {
  const double* table_of;  ///< [row][length] of this block
  std::size_t n_length, length;
  double length_s, exponent_per_K;
  const LaneWatts* watts;
  WattBounds bounds;
  TIDEWATT_INLINE double row(std::size_t r) const { return table_of[r * n_length + length]; }
};

template <bool Bounded>
TIDEWATT_INLINE double power_at(const StepView& s, std::size_t g, double exponent) {
  const double W = std::fma(s.watts->leakage_W[g], exp2_of(exponent), s.watts->fixed_W[g]);
  if constexpr (!Bounded) return W;
  const double held = W < s.bounds.high_W ? W : s.bounds.high_W;
  return held > s.bounds.low_W ? held : s.bounds.low_W;
}

/// One step of one block; its mean power goes to `watts_out` if that is asked for.
template <bool Bounded, bool Record>
TIDEWATT_INLINE void step_block(const StepView& s, Work& w, double* watts_out) {
  static_assert(n_mode == 3, "a fourth store needs its line in each sum below");
  const double h0 = s.row(row_half), h1 = s.row(row_half + 1), h2 = s.row(row_half + 2), hg = s.row(row_half_gain);
  const double f0 = s.row(row_full), f1 = s.row(row_full + 1), f2 = s.row(row_full + 2);
  const double g0 = s.row(row_gain), g1 = s.row(row_gain + 1), g2 = s.row(row_gain + 2);
  for (std::size_t g = 0; g < n_lane; ++g) {
    const double y0 = w.mode_K[0][g], y1 = w.mode_K[1][g], y2 = w.mode_K[2][g];
    const double start_K = y0 + y1 + y2;
    const double start_W = power_at<Bounded>(s, g, std::fma(s.exponent_per_K, start_K, w.exponent[g]));
    const double middle_K = std::fma(h0, y0, std::fma(h1, y1, std::fma(h2, y2, hg * (w.r[g] * start_W))));
    const double W = power_at<Bounded>(s, g, std::fma(s.exponent_per_K, middle_K, w.exponent[g]));
    const double rW = w.r[g] * W;
    const double e0 = std::fma(f0, y0, g0 * rW), e1 = std::fma(f1, y1, g1 * rW), e2 = std::fma(f2, y2, g2 * rW);
    const double end_K = e0 + e1 + e2;
    w.mode_K[0][g] = e0;
    w.mode_K[1][g] = e1;
    w.mode_K[2][g] = e2;
    w.peak_K[g] = w.peak_K[g] > end_K ? w.peak_K[g] : end_K;
    w.J[g] = std::fma(W, s.length_s, w.J[g]);
    if constexpr (Record) watts_out[g] = W;
  }
}

}  // namespace tidewatt::sim::detail
