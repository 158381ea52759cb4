#include "grid/excursions.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("excursions: how often, how long, how deep, and when") {
  ExcursionMeter m(0.95, 1.05);
  m.begin(1000);
  std::vector<double> v(100, 1.0);
  for (int i = 10; i < 20; ++i) v[static_cast<std::size_t>(i)] = 0.94;
  v[15] = 0.90;
  for (int i = 40; i < 43; ++i) v[static_cast<std::size_t>(i)] = 0.93;
  v[60] = 1.08;
  m.push(std::span(v).first(17));  // a chunk's end inside a stay is no end of the stay
  m.push(std::span(v).subspan(17));
  CHECK(m.below().count == 2);
  CHECK(m.below().bins == 13);
  CHECK(m.below().longest_bins == 10);
  CHECK(m.below().deepest == Approx(0.05));
  CHECK(m.below().deepest_bin == 1015);
  CHECK(m.above().count == 1);
  CHECK(m.above().deepest == Approx(0.03));
  CHECK_THROWS_AS(ExcursionMeter(1.0, 1.0), InputError);
}

TEST_CASE("steps are counted once each, by size, however long they last") {
  StepCounter m(10, {5.0, 20.0});
  std::vector<double> W(1000, 100.0);
  for (std::size_t i = 100; i < 400; ++i) W[i] = 110.0;  // up 10, down 10
  for (std::size_t i = 600; i < 700; ++i) W[i] = 130.0;  // up 30, down 30
  m.push(std::span(W).first(105));
  m.push(std::span(W).subspan(105));
  CHECK(m.counts()[0] == 4);
  CHECK(m.counts()[1] == 2);
  CHECK_THROWS_AS(StepCounter(0, {1.0}), InputError);
}
