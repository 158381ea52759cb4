#include "tidewatt/cooling/weather.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {
WeatherSeries ramp(bool periodic) {
  WeatherSeries s;
  for (int i = 0; i < 6; ++i) s.knots.push_back({280.0 + i * i, 0.004 + 0.001 * i, 275.0 + i, 1e5 - 100.0 * i});
  s.first_ns = -2 * ns_per_hour;
  s.step_ns = ns_per_hour;
  s.periodic = periodic;
  s.source = "test";
  return s;
}
}  // namespace

TEST_CASE("knots are passed through and joined by straight lines") {
  const Weather w(ramp(false));
  CHECK(w.at(-2 * ns_per_hour).drybulb_K == 280.0);
  CHECK(w.at(0).drybulb_K == 284.0);
  CHECK(w.at(ns_per_hour / 2).drybulb_K == Approx(286.5));
  CHECK(w.at(ns_per_hour / 4).humidity_ratio == Approx(0.00625));
  CHECK(w.at(3 * ns_per_hour).drybulb_K == 305.0);  // the very end
}

TEST_CASE("means are exact integrals, also across knots and splits") {
  for (const bool periodic : {false, true}) {
    const Weather w(ramp(periodic));
    CHECK(w.mean(0, ns_per_hour).drybulb_K == Approx(286.5).epsilon(1e-15));
    const Tick t0 = -ns_per_hour - 1234567, cut = 17 * 60 * ns_per_s + 3, t1 = 2 * ns_per_hour + 99;
    const auto whole = w.mean(t0, t1), a = w.mean(t0, cut), b = w.mean(cut, t1);
    const double sum = a.drybulb_K * seconds(cut - t0) + b.drybulb_K * seconds(t1 - cut);
    CHECK(sum == Approx(whole.drybulb_K * seconds(t1 - t0)).epsilon(1e-14));
    double fine = 0.0;
    for (int i = 0; i < 10000; ++i) fine += w.at(t0 + (t1 - t0) / 10000 * i + (t1 - t0) / 20000).humidity_ratio / 10000;
    CHECK(whole.humidity_ratio == Approx(fine).epsilon(1e-7));
    CHECK(w.mean(7, 7).pressure_Pa == w.at(7).pressure_Pa);
  }
}

TEST_CASE("a periodic series repeats for ever, both ways; another one ends") {
  const Weather ring(ramp(true));
  for (const Tick t : {Tick{0}, ns_per_hour / 3, 5 * ns_per_hour}) {
    CHECK(ring.at(t).drybulb_K == ring.at(t + 6000 * ns_per_hour).drybulb_K);
    CHECK(ring.at(t).drybulb_K == ring.at(t - 60 * ns_per_hour).drybulb_K);
  }
  CHECK(ring.at(3 * ns_per_hour + ns_per_hour / 2).drybulb_K == Approx(0.5 * (305.0 + 280.0)));
  const Weather ends(ramp(false));
  CHECK_THROWS_AS(ends.at(3 * ns_per_hour + 1), InputError);
  CHECK_THROWS_AS(ends.at(-2 * ns_per_hour - 1), InputError);
  CHECK_THROWS_AS(ends.mean(0, 4 * ns_per_hour), InputError);
  CHECK_THROWS_AS(ends.mean(1, 0), InputError);
}

TEST_CASE("what is not outdoor air is refused") {
  WeatherSeries s = ramp(false);
  s.knots[3].drybulb_K = std::nan("");
  CHECK_THROWS_AS(Weather(s), InputError);
  s = ramp(false);
  s.knots[3].wetbulb_K = 400.0;
  CHECK_THROWS_AS(Weather(s), InputError);
  s = ramp(false);
  s.step_ns = 0;
  CHECK_THROWS_AS(Weather(s), InputError);
  s.knots.clear();
  CHECK_THROWS_AS(Weather(s), InputError);
}

TEST_CASE("weather is even from knot to knot, and moves there by its own slope") {
  WeatherSeries series;
  for (const double K : {290.0, 294.0, 292.0}) series.knots.push_back({K, 0.008, 285.0, 1e5});
  series.step_ns = 3600 * ns_per_s;
  const Weather weather(std::move(series));
  CHECK(weather.even(0, 3600 * ns_per_s));
  CHECK(weather.even(900 * ns_per_s, 2700 * ns_per_s));
  CHECK_FALSE(weather.even(1800 * ns_per_s, 5400 * ns_per_s));
  const auto per_s = moves_per_s(weather.at(0), weather.at(1800 * ns_per_s), 1800.0);
  CHECK(moved(weather.at(0), per_s, 3600.0).drybulb_K == Approx(294.0));
  CHECK(moved({290, 1e-4, 285, 1e5}, {0, -1e-3, 0, 0}, 1.0).humidity_ratio == 0.0);
}
