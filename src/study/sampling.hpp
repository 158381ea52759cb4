#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Points of the unit cube, [point][dimension], each coordinate in [0, 1), unit 1.
using UnitPoints = std::vector<std::vector<double>>;

/// Latin hypercube: in every dimension one point in each of n equal slices, at a random place in it; the slices of
/// different dimensions are matched by independent random permutations (Fisher-Yates).
/// @param n_point, n_dimension counts, at least 1  @param seed equal seeds give equal points
/// @source [@mckay_1979]
UnitPoints latin_hypercube(std::size_t n_point, std::size_t n_dimension, std::uint64_t seed);

/// The first n points of the shifted Sobol sequence. @throws InputError with too many dimensions (see Sobol).
/// @param n_point, n_dimension counts, at least 1  @param seed equal seeds give equal points
/// @source [@joe_kuo_2008]
UnitPoints sobol_points(std::size_t n_point, std::size_t n_dimension, std::uint64_t seed);

/// Every combination of `counts[d]` choices per dimension, the last dimension fastest, as indices [point][dimension].
/// @param counts choices per dimension, each at least 1
/// @throws InputError above 1,000,000 points (checked before anything is allocated)
std::vector<std::vector<std::size_t>> full_grid(const std::vector<std::size_t>& counts);

/// Saltelli's design for Sobol indices: blocks of n rows A, B, A with column 1 from B, …, A with column k from B.
/// A and B are the two halves of a 2k-dimensional Sobol sequence. Rows (k + 2) n, row (block n + i).
/// @param n_base n, count  @param n_dimension k, count; 2k at most `sobol_max_dimension()`  @throws InputError otherwise
/// @source [@saltelli_2010]
UnitPoints saltelli_design(std::size_t n_base, std::size_t n_dimension, std::uint64_t seed);

}  // namespace TIDEWATT_NAMESPACE::study
