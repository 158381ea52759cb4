#include "tidewatt/cooling/diurnal.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

TEST_CASE("the day's course: low and high at their hours, monotone between, periodic") {
  const DiurnalShape shape(5 * 3600.0, 15 * 3600.0);
  CHECK(shape.at(5 * ns_per_hour) == Approx(0.0).margin(1e-15));
  CHECK(shape.at(15 * ns_per_hour) == Approx(1.0));
  for (Tick m = 0; m < 24 * 60; ++m) {
    const Tick t = 5 * ns_per_hour + m * 60 * ns_per_s;
    const double rise = shape.at(t + 60 * ns_per_s) - shape.at(t);
    if (m < 600)
      CHECK(rise > 0.0);
    else
      CHECK(rise < 0.0);
    CHECK(shape.at(t) == shape.at(t + 3 * ns_per_day));
    CHECK(shape.at(t) == shape.at(t - 2 * ns_per_day));
  }
}

TEST_CASE("means are exact: they equal fine sums and add up over splits") {
  for (const auto& [low, high] : {std::pair{5.0, 15.0}, std::pair{22.0, 13.0}}) {
    const DiurnalShape shape(low * 3600.0, high * 3600.0);
    const Tick t0 = -7 * ns_per_hour + 123, t1 = 51 * ns_per_hour + 777;
    double sum = 0.0;
    const int n = 20000;
    const double dt = seconds(t1 - t0) / n;
    for (int i = 0; i < n; ++i) sum += shape.at(t0 + to_tick((i + 0.5) * dt)) / n;
    CHECK(shape.mean(t0, t1) == Approx(sum).epsilon(1e-6));
    const Tick cut = t0 + 11 * ns_per_hour;
    const double parts = shape.mean(t0, cut) * seconds(cut - t0) + shape.mean(cut, t1) * seconds(t1 - cut);
    CHECK(parts == Approx(shape.mean(t0, t1) * seconds(t1 - t0)).epsilon(1e-13));
  }
}

TEST_CASE("hours that cannot be are refused") {
  CHECK_THROWS_AS(DiurnalShape(5 * 3600.0, 5 * 3600.0), InputError);
  CHECK_THROWS_AS(DiurnalShape(-1.0, 3600.0), InputError);
  CHECK_THROWS_AS(DiurnalShape(0.0, 90000.0), InputError);
}
