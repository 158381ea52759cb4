#include "study/fit_fan_loop.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt::study;

namespace {
const FanLoop truth{296.0, 0.035, 0.025, 0.35, 315.0, 355.0};
}

TEST_CASE("a die at rest obeys its own loop", "[study][fit_fan_loop]") {
  double last = 0.0;
  for (double W = 40; W <= 700; W += 20) {
    const double T = rest_die_K(truth, W);
    CHECK(T > last);
    last = T;
  }
  CHECK(rest_die_K(truth, 0.0) == Approx(296.0));
  const double cold = rest_die_K(truth, 50.0);  // fans still at their lowest
  CHECK(cold == Approx(296.0 + 50.0 * (0.035 + 0.025 * std::pow(0.35, -0.8))).epsilon(1e-9));
}

TEST_CASE("an interval of two levels lies between them", "[study][fit_fan_loop]") {
  const double low = rest_die_K(truth, 80.0), high = rest_die_K(truth, 400.0);
  CHECK(rest_die_K(truth, RestSample{160.0, 80.0, 400.0, 0.0}) == Approx(0.75 * low + 0.25 * high));
}

TEST_CASE("fitted temperatures come back, also where parameters trade off", "[study][fit_fan_loop]") {
  std::vector<RestSample> samples;
  for (int i = 0; i < 60; ++i) {
    const double W = 50.0 + 10.0 * i;
    samples.push_back({W, W, W, rest_die_K(truth, W)});
  }
  const auto fit = fit_fan_loop(samples);
  CHECK(fit.fit.rms < 0.1);
  for (double W : {75.0, 255.0, 655.0}) CHECK(rest_die_K(fit.loop, W) == Approx(rest_die_K(truth, W)).margin(0.3));
}
