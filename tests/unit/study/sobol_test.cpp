#include "study/sobol.hpp"

#include <set>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

/// Order of x modulo the polynomial: 2^s - 1 if and only if it is primitive.
std::uint64_t order_of_x(const SobolDirection& d) {
  const std::uint64_t polynomial = (1ull << d.degree) | (static_cast<std::uint64_t>(d.a) << 1) | 1ull;
  std::uint64_t power = 1, n = 0;
  do {
    power <<= 1;
    if (power >> d.degree) power ^= polynomial;
    ++n;
  } while (power != 1 && n < (1ull << d.degree));
  return n;
}

/// Rank over GF(2) of rows held as bit masks.
std::size_t rank_of(std::vector<std::uint64_t> rows) {
  std::size_t rank = 0;
  for (int bit = 0; bit < 64; ++bit) {
    for (std::size_t r = rank; r < rows.size(); ++r) {
      if (!((rows[r] >> bit) & 1u)) continue;
      std::swap(rows[rank], rows[r]);
      for (std::size_t other = 0; other < rows.size(); ++other)
        if (other != rank && ((rows[other] >> bit) & 1u)) rows[other] ^= rows[rank];
      ++rank;
      break;
    }
  }
  return rank;
}

}  // namespace

TEST_CASE("every polynomial is primitive and no two dimensions share one") {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& d : sobol_directions()) {
    CHECK(order_of_x(d) == (1ull << d.degree) - 1);
    CHECK(seen.insert({d.degree, d.a}).second);
    REQUIRE(d.m.size() == d.degree);
    for (std::size_t i = 0; i < d.m.size(); ++i) CHECK((d.m[i] % 2 == 1 && d.m[i] < (2u << i)));
  }
  CHECK(sobol_max_dimension() >= 32);
}

TEST_CASE("each dimension's first 2^k points fall one in each of 2^k equal slices") {
  const Sobol sobol(sobol_max_dimension(), 7);
  for (std::size_t d = 0; d < sobol_max_dimension(); ++d) {
    std::set<int> slices;
    for (std::uint64_t i = 0; i < 256; ++i) slices.insert(static_cast<int>(sobol.point(i)[d] * 256.0));
    CHECK(slices.size() == 256);
  }
}

TEST_CASE("property A: the first 2^d points have one in each of the 2^d half-cubes, for every d up to the last") {
  // Point 2^k of the bare sequence in Gray-code order is gray(2^k) = bits k and k-1; direction k is point(2^k) XOR
  // point of the rest, so the leading bits of the directions are read off the points 1, 3, 2 … by elimination: the
  // leading bits of any n points that span are as good.
  const std::size_t n = sobol_max_dimension();
  const Sobol bare(n, 0, false);
  std::vector<std::uint64_t> rows;
  for (std::size_t k = 0; k < 31; ++k) {
    const auto at = bare.point(1ull << k), before = k > 0 ? bare.point((1ull << k) - 1) : std::vector<double>(n, 0.0);
    std::uint64_t row = 0;
    for (std::size_t d = 0; d < n; ++d) {
      const bool one = (at[d] >= 0.5) != (before[d] >= 0.5);
      if (one) row |= 1ull << d;
    }
    rows.push_back(row);
  }
  for (std::size_t d = 2; d <= 31; ++d) {
    std::vector<std::uint64_t> square(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(d));
    for (auto& row : square) row &= (1ull << d) - 1;
    INFO("dimensions 1 to " << d);
    CHECK(rank_of(square) == d);
  }
}

TEST_CASE("the sequence begins as published") {
  const Sobol bare(3, 0, false);
  CHECK(bare.point(0) == std::vector<double>{0, 0, 0});
  CHECK(bare.point(1) == std::vector<double>{0.5, 0.5, 0.5});
  CHECK(bare.point(2) == std::vector<double>{0.75, 0.25, 0.25});
  CHECK(bare.point(3) == std::vector<double>{0.25, 0.75, 0.75});
  CHECK(bare.point(4) == std::vector<double>{0.375, 0.375, 0.625});
}

TEST_CASE("it integrates a product far better than its number of points to the power of one half") {
  const Sobol sobol(8, 3);
  const std::size_t n = 4096;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < n; ++i) {
    double f = 1.0;
    for (const double x : sobol.point(i)) f *= (std::abs(4.0 * x - 2.0) + 1.0) / 2.0;
    sum += f;
  }
  CHECK(sum / n == Approx(1.0).margin(2e-3));  // Monte Carlo's standard error here is 0.014
}

TEST_CASE("the seed moves the points, and too many dimensions are refused") {
  CHECK(Sobol(4, 1).point(5) == Sobol(4, 1).point(5));
  CHECK(Sobol(4, 1).point(5) != Sobol(4, 2).point(5));
  CHECK_THROWS_AS(Sobol(sobol_max_dimension() + 1, 1), InputError);
  CHECK_THROWS_AS(Sobol(0, 1), InputError);
}
