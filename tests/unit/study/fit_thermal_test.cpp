#include "study/fit_thermal.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const TwoPoles truth{0.03, 1.8, 0.035, 40.0, 297.0, 0.0, {}};

ThermalRecord bursts(double high_W, double period_s, bool whole_kelvins) {
  ThermalRecord r;
  for (int i = 1; i <= 600; ++i) {
    r.time_s.push_back(i);
    r.power_W.push_back(std::fmod(i, period_s) < 0.5 * period_s ? high_W : 150.0);
  }
  r.die_K = predict_die_K(truth, r, 70.0);
  if (whole_kelvins)
    for (auto& T : r.die_K) T = std::round(T);
  return r;
}
}  // namespace

TEST_CASE("poles come back from a step, exactly without and nearly with whole kelvins", "[study][fit_thermal]") {
  const auto exact = fit_step(bursts(690, 1e9, false), 70.0);
  CHECK(exact.fast_K_per_W == Approx(0.03).epsilon(1e-3));
  CHECK(exact.slow_s == Approx(40).epsilon(1e-3));
  const auto read = fit_step(bursts(690, 200, true), 70.0);
  CHECK(read.fast_K_per_W == Approx(0.03).epsilon(0.06));
  CHECK(read.slow_K_per_W == Approx(0.035).epsilon(0.06));
  CHECK(read.fast_s == Approx(1.8).epsilon(0.25));
  CHECK(read.slow_s == Approx(40).epsilon(0.12));
  CHECK(read.rms_K < 0.35);  // rounding alone gives 1/√12
}

TEST_CASE("fitted on one load it predicts another", "[study][fit_thermal]") {
  const auto fitted = fit_step(bursts(690, 200, true), 70.0);
  const auto other = bursts(400, 37, false);
  const auto T = predict_die_K(fitted, other, 70.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < T.size(); ++i) sum += (T[i] - other.die_K[i]) * (T[i] - other.die_K[i]);
  CHECK(std::sqrt(sum / static_cast<double>(T.size())) < 0.5);
}

TEST_CASE("ragged telemetry is refused", "[study][fit_thermal]") {
  auto r = bursts(690, 200, false);
  r.time_s[5] = r.time_s[4];
  CHECK_THROWS_AS(fit_step(r, 70.0), InputError);
}
