#include "sampling.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "draws.hpp"
#include "sobol.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {

UnitPoints latin_hypercube(std::size_t n_point, std::size_t n_dimension, std::uint64_t seed) {
  UnitPoints points(n_point, std::vector<double>(n_dimension));
  std::vector<std::size_t> order(n_point);
  for (std::size_t d = 0; d < n_dimension; ++d) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n_point; i > 1; --i) {
      const double u = random::uniform(seed, draws::hypercube_order, d, i);
      std::swap(order[i - 1], order[static_cast<std::size_t>(u * static_cast<double>(i))]);
    }
    for (std::size_t i = 0; i < n_point; ++i) {
      const double place = random::uniform(seed, draws::hypercube_place, d, i);
      points[i][d] = (static_cast<double>(order[i]) + place) / static_cast<double>(n_point);
    }
  }
  return points;
}

UnitPoints sobol_points(std::size_t n_point, std::size_t n_dimension, std::uint64_t seed) {
  const Sobol sobol(n_dimension, seed);
  UnitPoints points;
  points.reserve(n_point);
  for (std::size_t i = 0; i < n_point; ++i) points.push_back(sobol.point(i));
  return points;
}

std::vector<std::vector<std::size_t>> full_grid(const std::vector<std::size_t>& counts) {
  constexpr std::size_t limit = 1'000'000;
  std::size_t total = 1;
  for (const std::size_t n : counts) {
    if (n == 0 || total > limit / n)
      throw InputError(fmt::format("a grid needs 1 to {} points: shorten the variables' lists or use sobol", limit));
    total *= n;
  }
  std::vector<std::vector<std::size_t>> grid(total, std::vector<std::size_t>(counts.size()));
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i;
    for (std::size_t d = counts.size(); d-- > 0; rest /= counts[d]) grid[i][d] = rest % counts[d];
  }
  return grid;
}

UnitPoints saltelli_design(std::size_t n_base, std::size_t n_dimension, std::uint64_t seed) {
  const auto both = sobol_points(n_base, 2 * n_dimension, seed);
  UnitPoints design;
  design.reserve(n_base * (n_dimension + 2));
  for (std::size_t block = 0; block < n_dimension + 2; ++block)
    for (const auto& row : both) {
      std::vector<double> x(n_dimension);
      for (std::size_t d = 0; d < n_dimension; ++d) x[d] = row[block == 1 || block == d + 2 ? n_dimension + d : d];
      design.push_back(std::move(x));
    }
  return design;
}

}  // namespace TIDEWATT_NAMESPACE::study
