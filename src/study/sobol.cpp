#include "sobol.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "draws.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::uint32_t n_bit = 32;

std::vector<std::uint32_t> van_der_corput() {
  std::vector<std::uint32_t> v(n_bit);
  for (std::uint32_t k = 0; k < n_bit; ++k) v[k] = 1u << (n_bit - 1 - k);
  return v;
}

std::vector<std::uint32_t> expand(const SobolDirection& d) {
  std::vector<std::uint32_t> v(n_bit);
  for (std::uint32_t k = 0; k < n_bit; ++k) {
    if (k < d.degree) {
      v[k] = d.m[k] << (n_bit - 1 - k);
      continue;
    }
    v[k] = v[k - d.degree] ^ (v[k - d.degree] >> d.degree);
    for (std::uint32_t i = 1; i < d.degree; ++i)
      if ((d.a >> (d.degree - 1 - i)) & 1u) v[k] ^= v[k - i];
  }
  return v;
}

}  // namespace

std::span<const SobolDirection> sobol_directions() {
  static const std::vector<SobolDirection> table = {
      {1, 0, {1}},
      {2, 1, {1, 3}},
      {3, 1, {1, 3, 1}},
      {3, 2, {1, 1, 1}},
      {4, 1, {1, 1, 3, 3}},
      {4, 4, {1, 3, 5, 13}},
      {5, 2, {1, 1, 5, 5, 17}},
      {5, 4, {1, 1, 5, 5, 5}},
      {5, 7, {1, 1, 7, 11, 19}},
      {5, 11, {1, 1, 5, 1, 1}},
      {5, 13, {1, 1, 1, 3, 11}},
      {5, 14, {1, 3, 5, 5, 31}},
      {6, 1, {1, 3, 3, 9, 7, 49}},
      {6, 13, {1, 1, 1, 15, 21, 21}},
      {6, 16, {1, 3, 1, 13, 27, 49}},
      {6, 19, {1, 1, 1, 15, 7, 5}},
      {6, 22, {1, 3, 1, 15, 13, 25}},
      {6, 25, {1, 1, 5, 5, 19, 61}},
      {7, 1, {1, 3, 7, 11, 23, 15, 103}},
      {7, 4, {1, 3, 7, 13, 13, 15, 69}},
      {7, 7, {1, 1, 3, 13, 7, 35, 63}},
      {7, 8, {1, 3, 5, 9, 1, 25, 53}},
      {7, 14, {1, 3, 1, 13, 9, 35, 107}},
      {7, 19, {1, 3, 1, 5, 27, 61, 31}},
      {7, 21, {1, 1, 5, 11, 19, 41, 61}},
      {7, 28, {1, 3, 5, 3, 3, 13, 69}},
      {7, 31, {1, 1, 7, 13, 1, 19, 1}},
      {7, 32, {1, 3, 7, 5, 13, 19, 59}},
      {7, 37, {1, 1, 3, 9, 25, 29, 41}},
      {7, 41, {1, 3, 5, 13, 23, 1, 55}},
      {7, 42, {1, 3, 7, 3, 13, 59, 17}},
      {7, 50, {1, 3, 1, 3, 5, 53, 69}},
      {7, 55, {1, 1, 5, 5, 23, 33, 13}},
      {7, 56, {1, 1, 7, 7, 1, 61, 123}},
      {7, 59, {1, 1, 7, 9, 13, 61, 49}},
      {7, 62, {1, 3, 3, 5, 3, 55, 33}},
  };
  return table;
}

std::size_t sobol_max_dimension() { return sobol_directions().size() + 1; }

Sobol::Sobol(std::size_t n_dimension, std::uint64_t seed, bool shifted) : shifted_(shifted) {
  if (n_dimension == 0 || n_dimension > sobol_max_dimension())
    throw InputError(fmt::format("Sobol points have 1 to {} dimensions, not {}; latin_hypercube has no such limit",
                                 sobol_max_dimension(), n_dimension));
  directions_.push_back(van_der_corput());
  for (std::size_t d = 1; d < n_dimension; ++d) directions_.push_back(expand(sobol_directions()[d - 1]));
  for (std::size_t d = 0; d < n_dimension; ++d)
    shift_.push_back(shifted ? static_cast<std::uint32_t>(random::bits(seed, draws::sobol_shift, d, 0)[0]) : 0u);
}

std::vector<double> Sobol::point(std::uint64_t index) const {
  const auto gray = static_cast<std::uint32_t>(index ^ (index >> 1));
  std::vector<double> x(directions_.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    std::uint32_t bits = shift_[d];
    for (std::uint32_t k = 0; k < n_bit; ++k)
      if ((gray >> k) & 1u) bits ^= directions_[d][k];
    // Half a step up: a shifted coordinate is never 0 or 1, where a quantile would be infinite.
    x[d] = (static_cast<double>(bits) + (shifted_ ? 0.5 : 0.0)) * 0x1p-32;
  }
  return x;
}

}  // namespace TIDEWATT_NAMESPACE::study
