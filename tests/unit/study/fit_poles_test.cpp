#include "study/fit_poles.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "prior_z.hpp"
#include "synthetic_log.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const TwoPoles own{0.0167, 0.875, 0.024, 21.0, 0.0, 0.0, {}};

/// Share of identified parameters of the chip whose 90 % interval holds the truth, over [logs].
double coverage(const SyntheticMeter& meter, std::uint64_t first, std::uint64_t last, int& identified) {
  int covered = 0;
  identified = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const auto log = synthetic_log(own, meter, seed);
    const auto fit = fit_poles(thermal_drive(log.telemetry, meter.window_s), own, 700.0, -1.0);
    for (std::size_t i = 0; i < n_pole_parameter; ++i) {
      REQUIRE_FALSE(fit.fit.values[i].at_bound);
      if (!fit.fit.values[i].identified) continue;
      ++identified;
      covered += std::abs(prior_z(fit.prior[i], log.truth[i]) - fit.z[i]) < 1.645 * std::sqrt(fit.covariance_at(i, i));
    }
  }
  return covered / static_cast<double>(identified);
}
}  // namespace

TEST_CASE("90 % intervals hold 90 % of the truths behind a 1 s and a 2 s meter", "[study][fit_poles][long]") {
  for (const auto& meter : {SyntheticMeter{1.0, 1.0, false}, SyntheticMeter{2.0, 2.0, false}}) {
    int identified = 0;
    const double share = coverage(meter, 1, 20, identified);
    CHECK(identified >= 70);  // of 80: such logs do tell the poles
    // 80 intervals of 20 logs: a deviation of 3.4 points if they were independent, so three of them and a half.
    CHECK(share > 0.78);
    CHECK(share < 0.999);
  }
}

TEST_CASE("the counter and overlapping windows tell the fast pole that a shift would miss",
          "[study][fit_poles][long]") {
  for (const auto& meter : {SyntheticMeter{1.0, 0.5, true}, SyntheticMeter{1.0, 0.1, false}}) {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const auto log = synthetic_log(own, meter, seed);
      const auto fit = fit_poles(thermal_drive(log.telemetry, meter.window_s), own, 700.0, -1.0);
      worst = std::max(worst, std::abs(std::log(fit.fit["fast_s"] / log.truth[1])));
    }
    CHECK(worst < 0.2);
  }
}

TEST_CASE("a constant load says nothing of time constants", "[study][fit_poles]") {
  auto log = synthetic_log(own, {1.0, 1.0, false}, 2);
  auto& r = log.telemetry.record;
  for (std::size_t i = 0; i < r.size(); ++i)
    r.power_W[i] = 650.0, r.die_K[i] = 335.0 + 0.3 * random::normal(9, random::Purpose::jitter, i);
  const auto fit = fit_poles(thermal_drive(log.telemetry, 1.0), own, 700.0, 650.0);
  CHECK_FALSE(fit.fit.values[1].identified);
  CHECK_FALSE(fit.fit.values[3].identified);
  CHECK(fit.fit.values[1].low == Approx(0.875 / 2.8));
  CHECK(fit.fit.values[1].high == Approx(0.875 * 2.8));
}

TEST_CASE("windows become pieces whose means are the readings", "[study][fit_poles]") {
  GpuTelemetry t;
  for (int i = 0; i < 60; ++i) {
    t.record.time_s.push_back(i);
    t.record.die_K.push_back(300.0);
    t.record.power_W.push_back(i < 30 ? 100.0 : i == 30 ? 250.0 : 700.0);  // a step a quarter of a second before 30 s
  }
  const auto d = thermal_drive(t, 1.0);
  double at_s = 0.0, energy_J = 0.0, stepped_s = 0.0;
  for (const auto& p : d.pieces) {
    if (stepped_s == 0.0 && p.power_W == 700.0) stepped_s = at_s;
    at_s += p.step_s, energy_J += p.step_s * p.power_W;
  }
  CHECK(stepped_s == Approx(30.75));  // 1 s of which the first reading tells, and 29.75
  CHECK(energy_J == Approx(30 * 100.0 + 250.0 + 29 * 700.0));
  CHECK(d.time_s.front() > 10.0);
  CHECK_THROWS_AS(thermal_drive({"0", {{1, 2}, {1, 2}, {1, 2}}, {}, {}, {}, {}, {}, {}, {}, {}}, 1.0), InputError);
}
