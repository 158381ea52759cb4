#include "study/sampling.hpp"

#include <cmath>
#include <set>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt::study;

TEST_CASE("a Latin hypercube has one point in every slice of every dimension, and its columns are unrelated") {
  const std::size_t n = 500;
  const auto points = latin_hypercube(n, 3, 11);
  std::vector<double> mean(3, 0.0);
  for (std::size_t d = 0; d < 3; ++d) {
    std::set<int> slices;
    for (const auto& p : points) slices.insert(static_cast<int>(p[d] * n));
    CHECK(slices.size() == n);
  }
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
    double r = 0.0;
    for (const auto& p : points)
      r += (p[static_cast<std::size_t>(a)] - 0.5) * (p[static_cast<std::size_t>(b)] - 0.5) * 12.0 / n;
    CHECK(std::abs(r) < 4.0 / std::sqrt(double(n)));
  }
  CHECK(points == latin_hypercube(n, 3, 11));
  CHECK(points != latin_hypercube(n, 3, 12));
}

TEST_CASE("a grid has every combination once, the last dimension fastest") {
  const auto grid = full_grid({2, 3});
  CHECK(grid == std::vector<std::vector<std::size_t>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK_THROWS_AS(full_grid({1'000'000'000'000, 1'000'000'000'000}), tidewatt::InputError);
  CHECK_THROWS_AS(full_grid({3, 0}), tidewatt::InputError);
}

TEST_CASE("in Saltelli's design block 2+d differs from A in column d only, where it is B") {
  const std::size_t n = 8, k = 3;
  const auto rows = saltelli_design(n, k, 1);
  REQUIRE(rows.size() == n * (k + 2));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t block = 0; block < k; ++block)
      for (std::size_t d = 0; d < k; ++d) CHECK(rows[(block + 2) * n + i][d] == rows[(block == d ? n : 0) + i][d]);
}
