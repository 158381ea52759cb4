#include "grid/excursions.hpp"

#include "catch.hpp"
#include "iteration_wave.hpp"
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

TEST_CASE("repetitions that are booked count as pushed ones") {
  using namespace iteration_wave;
  const auto x = iteration(80e6, 30e6), after = iteration(85e6, 20e6);
  ExcursionMeter booked(35e6, 80.5e6), pushed = booked;
  push_and_book(booked, x, 1000, 990);
  push(pushed, x, 1000);
  push(booked, after), push(pushed, after);
  CHECK(booked.below().count == pushed.below().count);
  CHECK(booked.below().bins == pushed.below().bins);
  CHECK(booked.above().count == pushed.above().count);
  CHECK(booked.above().deepest_bin == pushed.above().deepest_bin);
}
