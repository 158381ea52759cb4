#include "numerics/block.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("a block's sum, smallest and largest are those of its samples, whatever its length and place") {
  std::vector<double> all(1100);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = 2.0 * random::uniform(7, random::Purpose::jitter, i) - 1.0;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    for (std::size_t n = 1; n + begin <= all.size(); n = n < 40 ? n + 1 : n * 3 / 2) {
      const auto x = std::span<const double>(all).subspan(begin, n);
      long double sum = 0.0L;
      for (const double v : x) sum += v;
      INFO("from " << begin << ", " << n << " samples");
      CHECK_THAT(numerics::lane_sum(x), Catch::Matchers::WithinAbs(static_cast<double>(sum), 1e-13));
      CHECK(numerics::lane_max(x) == *std::max_element(x.begin(), x.end()));
      CHECK(numerics::lane_min(x) == *std::min_element(x.begin(), x.end()));
    }
  }
}

TEST_CASE("a block's sum goes by eight lanes: large parts that cancel in one leave the others alone") {
  std::vector<double> x(64, 0.0);
  x[3] = 1e30, x[11] = -1e30, x[5] = 1.0;
  CHECK(numerics::lane_sum(x) == 1.0);
  std::rotate(x.begin(), x.begin() + 1, x.end());
  CHECK(numerics::lane_sum(x) == 1.0);
}
