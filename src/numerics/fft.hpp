#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// cos and sin of 2πk/n, k < n.
struct UnitCircle {
  std::vector<double> cos, sin;
  std::vector<double> first;  ///< factors of the transform's first passes; empty for short ones
};

/// Discrete Fourier transform of a power-of-two length, Y_k = Σ_n x_n e^(−2πi kn/N).
///
/// Radix-4 self-sorting (Stockham) passes on split real and imaginary parts. Only + and ×, twiddle factors included, so
/// the bits are the same on every machine; library sines are not.
class Fft {
 public:
  /// @param n a power of two, 8…2^24  @throws InputError
  explicit Fft(std::size_t n);

  /// Transforms in place; `re` and `im` have n values each.
  /// @param re, im [n], any unit; out: that of the input  @throws InputError for another length
  void transform(std::span<double> re, std::span<double> im);
  std::size_t size() const { return n_; }
  const UnitCircle& circle() const { return *circle_; }

 private:
  std::size_t n_;
  std::shared_ptr<const UnitCircle> circle_;  // of 2πk/n, k < n; one for all transforms of a length
  std::vector<double> re_, im_;               // the other half of the ping-pong
};

/// cos and sin of 2πk/n to 1 ulp, k < n, n a multiple of 8: Taylor series in the first octant, then symmetry.
struct UnitRoot {
  double cos = 1.0;
  double sin = 0.0;
};
/// @param k < n  @param n a multiple of 8
UnitRoot unit_root(std::size_t k, std::size_t n);

}  // namespace TIDEWATT_NAMESPACE::numerics
