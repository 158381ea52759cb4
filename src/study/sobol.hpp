#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Primitive polynomial of degree s over GF(2) and the first s direction integers of one Sobol dimension.
/// p(x) = x^s + a_1 x^(s-1) + … + a_(s-1) x + 1; `a` holds a_1 … a_(s-1), a_1 in the highest bit.
struct SobolDirection {
  std::uint32_t degree = 0;
  std::uint32_t a = 0;
  std::vector<std::uint32_t> m;  ///< m_1 … m_s, odd, m_i < 2^i
};

/// The directions of dimensions 2, 3, … (dimension 1 is van der Corput's sequence and needs none).
/// @source [@joe_kuo_2008], table new-joe-kuo-6
std::span<const SobolDirection> sobol_directions();

/// Most dimensions that `Sobol` has.
std::size_t sobol_max_dimension();

/// Sobol's low-discrepancy points in Gray-code order, 32 bits, shifted at random (Cranley-Patterson in base 2: every
/// coordinate is XORed with 32 bits of its own, which keeps every net property and makes the points depend on the seed).
///
///     v_k = m_k 2^(32-k);  m_k = 2 a_1 m_(k-1) ⊕ … ⊕ 2^s m_(k-s) ⊕ m_(k-s);  x_n = ⊕ v_k over the bits k of gray(n)
///
/// @source [@joe_kuo_2008]
class Sobol {
 public:
  /// @param n_dimension 1 to `sobol_max_dimension()`, count
  /// @param seed of the shift; points of equal seed are equal
  /// @param shifted false: the bare sequence, whose point 0 is the origin
  /// @throws InputError outside that range
  Sobol(std::size_t n_dimension, std::uint64_t seed, bool shifted = true);

  /// Point `index` < 2^32, coordinates in (0, 1) with the shift and in [0, 1) without, shape [n_dimension], unit 1.
  std::vector<double> point(std::uint64_t index) const;

 private:
  std::vector<std::vector<std::uint32_t>> directions_;  // [dimension][bit]
  std::vector<std::uint32_t> shift_;
  bool shifted_;
};

}  // namespace TIDEWATT_NAMESPACE::study
