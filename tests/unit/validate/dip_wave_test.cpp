#include "validate/dip_wave.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;
using namespace tidewatt::validate;

namespace {

constexpr DipWave wave{10.76, 455.0, 70.0, 0.93, 0.2, 0.8};

PlacedSamples sampled(const DipWave& w, double step_s) {
  PlacedSamples p;
  p.period_s = w.period_s;
  for (double t = 0.0; t < 600.0 * step_s; t += step_s) {
    p.place_frac.push_back(t / w.period_s - std::floor(t / w.period_s));
    p.value.push_back(w.at(p.place_frac.back()));
  }
  return p;
}

}  // namespace

TEST_CASE("a lag moves a dip but not the mean", "[workload][trace][P5]") {
  for (const double lag_s : {0.0, 0.3, 0.8, 3.0}) {
    DipWave w = wave;
    w.lag_s = lag_s;
    double mean = 0.0, least = 1e9;
    for (int i = 0; i < 20000; ++i) {
      mean += w.at((i + 0.5) / 20000.0) / 20000.0;
      least = std::min(least, w.at((i + 0.5) / 20000.0));
    }
    CHECK(mean == Approx(w.mean()).epsilon(1e-5));
    if (lag_s == 0.0) CHECK(least == 385.0);
    if (lag_s > 0.0) CHECK(least > 385.0);
  }
  // The lagged response is continuous where the dip begins and where it ends.
  CHECK(wave.at(0.93 - 1e-9) == Approx(wave.at(0.93 + 1e-9)).epsilon(1e-6));
  CHECK(wave.at(0.13 - 1e-9) == Approx(wave.at(0.13 + 1e-9)).epsilon(1e-6));
}

TEST_CASE("a dip is found again from 2 s samples", "[workload][trace][P5]") {
  const DipWave fit = fit_dip(sampled(wave, 2.013));
  CHECK(fit.plateau == Approx(455.0).epsilon(1e-3));
  CHECK(fit.depth == Approx(70.0).epsilon(0.02));
  CHECK(fit.width_frac == Approx(0.2).epsilon(0.02));
  CHECK(fit.begin_frac == Approx(0.93).epsilon(0.01));
  CHECK(fit.lag_s == Approx(0.8).epsilon(0.05));
  CHECK_THROWS_AS(fit_dip({}), InputError);
}

TEST_CASE("samples are placed between logged steps, evaluations left out", "[workload][trace][P5]") {
  MlperfLog log;
  for (const Tick end_s : {10, 20, 30, 60, 70})
    log.events.push_back({end_s * ns_per_s, "POINT_IN_TIME", "tracked_stats", "train_step_timing in s=9.9", ""});
  log.power.edges = {0, 15 * ns_per_s, 25 * ns_per_s, 45 * ns_per_s, 62 * ns_per_s, 80 * ns_per_s};
  log.power.value = {{1, 2, 3, 4, 5}};
  const PlacedSamples p = place_in_steps(log, log.power, 0, 0, 100 * ns_per_s);
  CHECK(p.period_s == Approx(10.0));
  REQUIRE(p.value == std::vector<double>{2, 3, 5});
  CHECK(p.place_frac[0] == Approx(0.5));
  CHECK(p.place_frac[2] == Approx(0.2));
  CHECK(place_in_steps(log, log.power, 0, 20 * ns_per_s, 60 * ns_per_s).value == std::vector<double>{3});
}

TEST_CASE("lines of a dip: 2 d sin(pi q w)/(pi q), which a lag makes smaller by its pole", "[workload][trace][P6]") {
  constexpr double pi = 3.141592653589793;
  for (const double lag_s : {0.0, 0.8}) {
    DipWave w = wave;
    w.lag_s = lag_s;
    const auto lines = line_amplitudes(sampled(w, 1.0407), 40);
    for (int q = 1; q <= 3; ++q) {
      const double sharp = 2.0 * w.depth * std::abs(std::sin(pi * q * w.width_frac)) / (pi * q);
      const double pole = std::hypot(1.0, 2.0 * pi * q * lag_s / w.period_s);
      CHECK(lines[static_cast<std::size_t>(q - 1)] == Approx(sharp / pole).epsilon(0.01));
    }
  }
  CHECK_THROWS_AS(line_amplitudes(sampled(wave, 1.0407), 500), InputError);
}
