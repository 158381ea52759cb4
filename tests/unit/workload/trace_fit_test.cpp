#include "workload/trace_fit.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

/// A wave of 10.76 s seen every 2.01 s for 30 periods.
Samples wave(double step_s = 2.01) {
  Samples w;
  for (double t = 0.0; t < 320.0; t += step_s) {
    const double turn = 2.0 * std::numbers::pi * t / 10.76;
    w.time_s.push_back(t);
    w.value.push_back(450.0 + 20.0 * std::cos(turn - 0.7) + 6.0 * std::cos(2.0 * turn + 1.1));
  }
  return w;
}

}  // namespace

TEST_CASE("a wave slower sampled than its harmonics is found again", "[workload][trace]") {
  const Samples w = wave();
  const PeriodicFit fit = find_period(w.time_s, w.value, 8.0, 14.0, 2);
  CHECK(fit.period_s == Approx(10.76).epsilon(1e-6));
  CHECK(fit.mean == Approx(450.0).epsilon(1e-6));
  CHECK(fit.amplitude[0] == Approx(20.0).epsilon(1e-4));
  CHECK(fit.amplitude[1] == Approx(6.0).epsilon(1e-4));
  CHECK(fit.phase_rad[0] == Approx(0.7).epsilon(1e-3));
  CHECK(fit.explained_frac > 1.0 - 1e-8);
  CHECK(fit.at(5.0) == Approx(450.0 + 20.0 * std::cos(2.0 * std::numbers::pi * 5.0 / 10.76 - 0.7) +
                              6.0 * std::cos(4.0 * std::numbers::pi * 5.0 / 10.76 + 1.1))
                           .epsilon(1e-5));
}

TEST_CASE("sampling in step with the wave cannot tell harmonics apart", "[workload][trace]") {
  const Samples w = wave(10.76 / 2.0);
  CHECK_THROWS_AS(fit_periodic(w.time_s, w.value, 10.76, 2), InputError);
  CHECK_THROWS_AS(fit_periodic(std::vector<double>{1, 2}, std::vector<double>{1, 2}, 10.76, 1), InputError);
  CHECK_THROWS_AS(find_period(w.time_s, w.value, 8.0, 8.0, 1), InputError);
}

TEST_CASE("folding gives the mean by place in the period", "[workload][trace]") {
  const std::vector<double> t = {0.1, 0.6, 1.1, 1.6, 2.1}, y = {1, 5, 3, 7, 2};
  const auto bins = fold(t, y, 1.0, 4);
  CHECK(bins[0] == Approx(2.0));
  CHECK(std::isnan(bins[1]));
  CHECK(bins[2] == Approx(6.0));
  CHECK(std::isnan(bins[3]));
}
