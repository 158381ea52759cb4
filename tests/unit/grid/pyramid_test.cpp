#include "grid/pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
const std::vector<std::int64_t> lengths{10, 100, 1000, 10'000, 60'000};

std::vector<Bucket> take(Pyramid& p, std::size_t level) {
  std::vector<Bucket> out;
  p.take(level, out);
  return out;
}
}  // namespace

TEST_CASE("every level equals brute force on its buckets, whatever the chunks") {
  const std::int64_t first = 123'457;
  std::vector<double> x(150'321);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1e7 * random::uniform(1, random::Purpose::jitter, i);
  Pyramid p(lengths);
  p.begin(first);
  for (std::size_t i = 0; i < x.size(); i += 613)
    p.push(std::span(x).subspan(i, std::min<std::size_t>(613, x.size() - i)));
  p.end();
  for (std::size_t level = 0; level < lengths.size(); ++level) {
    std::int64_t next = first;
    double energy_W = 0.0;
    for (const Bucket& b : take(p, level)) {
      REQUIRE(b.first_bin == next);
      next += b.n_bin;
      REQUIRE(b.first_bin / lengths[level] == (next - 1) / lengths[level]);  // within one slot of absolute time
      const auto part =
          std::span(x).subspan(static_cast<std::size_t>(b.first_bin - first), static_cast<std::size_t>(b.n_bin));
      REQUIRE(b.min_W == *std::min_element(part.begin(), part.end()));
      REQUIRE(b.max_W == *std::max_element(part.begin(), part.end()));
      long double sum = 0.0;
      for (const double v : part) sum += static_cast<long double>(v);
      REQUIRE(b.mean_W == Approx(static_cast<double>(sum) / static_cast<double>(b.n_bin)).epsilon(1e-14));
      energy_W += b.mean_W * static_cast<double>(b.n_bin);
    }
    CHECK(next == first + static_cast<std::int64_t>(x.size()));
    long double all = 0.0;
    for (const double v : x) all += static_cast<long double>(v);
    CHECK(energy_W == Approx(static_cast<double>(all)).epsilon(1e-13));
    CHECK(take(p, level).empty());
  }
}

TEST_CASE("a spike of 3 ms is in every level") {
  std::vector<double> x(180'000, 5e6);
  for (std::size_t i = 77'008; i < 77'011; ++i) x[i] = 9e6;  // across a bucket's end
  Pyramid p(lengths);
  p.begin(0);
  p.push(x);
  p.end();
  for (std::size_t level = 0; level < lengths.size(); ++level) {
    const auto buckets = take(p, level);
    const auto top =
        std::max_element(buckets.begin(), buckets.end(), [](auto& a, auto& b) { return a.max_W < b.max_W; });
    CHECK(top->max_W == 9e6);
    CHECK(top->min_W == 5e6);
  }
}

TEST_CASE("a gap ends the buckets on either side, and a constant keeps its value") {
  Pyramid p({10, 60});
  p.begin(5);
  p.push(std::vector<double>(18, 0.1));
  p.begin(40);
  p.push(std::vector<double>(25, 0.3));
  p.end();
  const auto fine = take(p, 0), coarse = take(p, 1);
  REQUIRE(fine.size() == 3 + 3);
  CHECK(fine[0].n_bin == 5);
  CHECK(fine[2].n_bin == 3);
  CHECK(fine[3].first_bin == 40);
  REQUIRE(coarse.size() == 3);
  CHECK(coarse[0].n_bin == 18);
  CHECK(coarse[1].n_bin == 20);
  CHECK(coarse[2].n_bin == 5);
  for (const auto& b : fine) CHECK((b.mean_W == b.min_W && b.mean_W == b.max_W));
}

TEST_CASE("lengths that do not nest are refused") {
  CHECK_THROWS_AS(Pyramid({10, 25}), InputError);
  CHECK_THROWS_AS(Pyramid({10, 10}), InputError);
  CHECK_THROWS_AS(Pyramid({}), InputError);
}
