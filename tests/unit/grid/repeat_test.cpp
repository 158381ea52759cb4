#include "tidewatt/grid/repeat.hpp"

#include <cmath>

#include "catch.hpp"
#include "grid/excursions.hpp"
#include "grid/flicker.hpp"
#include "grid/rainflow.hpp"
#include "grid/torsional.hpp"
#include "tidewatt/grid/bands.hpp"
#include "tidewatt/grid/metrics.hpp"

using namespace tidewatt::grid;

namespace {
constexpr std::int64_t period = 2000;

// An iteration with a stall and a ripple.
std::vector<double> iteration(double high, double low) {
  std::vector<double> x(static_cast<std::size_t>(period));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (i < 1500 ? high : low) + 0.02 * (high - low) * std::sin(static_cast<double>(i) * 0.0125663706);
  return x;
}

/// Pushes `n` periods, booking as many as the meter allows; returns how many were really pushed.
template <class Meter>
std::int64_t push_or_book(Meter& meter, std::span<const double> x, std::int64_t first_bin, std::int64_t n) {
  const Repetition r{first_bin, period};
  std::int64_t left = n, pushed = 0;
  while (left > 0) {
    const auto before = meter.snapshot();
    meter.push(x);
    --left;
    ++pushed;
    if (left > 0 && meter.settled(before, r)) left -= meter.repeat_since(before, left);
  }
  return pushed;
}

template <class Meter>
void push_all(Meter& meter, std::span<const double> x, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) meter.push(x);
}
}  // namespace

TEST_CASE("ramps, steps and extremes: booked repetitions equal pushed ones, and the waveform goes on after them") {
  const auto x = iteration(80e6, 30e6), after = iteration(85e6, 20e6);
  RampMeter ramp_a({100, 1000, 5000}), ramp_b = ramp_a;
  StepMeter step_a(1000), step_b = step_a;
  ExtremesMeter extremes_a, extremes_b;
  ramp_a.begin(0), ramp_b.begin(0), step_a.begin(0), step_b.begin(0);
  CHECK(push_or_book(ramp_a, x, 0, 500) < 10);
  CHECK(push_or_book(step_a, x, 0, 500) < 5);
  CHECK(push_or_book(extremes_a, x, 0, 500) == 1);
  push_all(ramp_b, x, 500), push_all(step_b, x, 500), push_all(extremes_b, x, 500);
  ramp_a.push(after), ramp_b.push(after), step_a.push(after), step_b.push(after);
  extremes_a.push(after), extremes_b.push(after);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(ramp_a.ramps()[i].up_W_per_s == ramp_b.ramps()[i].up_W_per_s);
    CHECK(ramp_a.ramps()[i].up_bin == ramp_b.ramps()[i].up_bin);
    CHECK(ramp_a.ramps()[i].down_bin == ramp_b.ramps()[i].down_bin);
  }
  CHECK(step_a.largest() == step_b.largest());
  CHECK(step_a.fall_bin() == step_b.fall_bin());
  CHECK(extremes_a.energy_J() == Approx(extremes_b.energy_J()).epsilon(1e-14));
  CHECK(extremes_a.n_bin() == extremes_b.n_bin());
  CHECK(extremes_a.max_bin() == extremes_b.max_bin());
}

TEST_CASE("rainflow, step counts and excursions multiply exactly") {
  const auto x = iteration(80e6, 30e6), after = iteration(85e6, 20e6);
  Rainflow rain_a(1e6, 100), rain_b = rain_a;
  StepCounter count_a(1000, {10e6, 40e6, 60e6}), count_b = count_a;
  ExcursionMeter out_a(35e6, 81e6), out_b = out_a;
  CHECK(push_or_book(rain_a, x, 0, 1000) < 8);
  CHECK(push_or_book(count_a, x, 0, 1000) < 8);
  CHECK(push_or_book(out_a, x, 0, 1000) < 8);
  push_all(rain_b, x, 1000), push_all(count_b, x, 1000), push_all(out_b, x, 1000);
  rain_a.push(after), rain_b.push(after), count_a.push(after), count_b.push(after), out_a.push(after),
      out_b.push(after);
  const auto a = rain_a.cycles(), b = rain_b.cycles();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].count == b[i].count);
  CHECK(count_a.counts() == count_b.counts());
  CHECK(out_a.below().count == out_b.below().count);
  CHECK(out_a.below().bins == out_b.below().bins);
  CHECK(out_a.above().deepest_bin == out_b.above().deepest_bin);
}

TEST_CASE("filters: bands, shafts and flicker settle, then book within their tolerance") {
  const auto x = iteration(80e6, 30e6);
  BandMeter band_a = BandMeter::standard(), band_b = band_a;
  band_a.begin(0, 60e6), band_b.begin(0, 60e6);
  CHECK(push_or_book(band_a, x, 0, 2000) < 100);
  push_all(band_b, x, 2000);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(band_a.bands()[k].energy_W2s == Approx(band_b.bands()[k].energy_W2s).epsilon(1e-5));
    CHECK(band_a.bands()[k].peak_W == Approx(band_b.bands()[k].peak_W).epsilon(1e-5));
  }
  TorsionalScreen shaft_a({{20.0, 2e-3}}), shaft_b = shaft_a;
  CHECK(push_or_book(shaft_a, x, 0, 500) < 100);
  push_all(shaft_b, x, 500);
  CHECK(shaft_a.findings()[0].equivalent_W == Approx(shaft_b.findings()[0].equivalent_W).epsilon(1e-5));

  std::vector<double> v = x;
  for (double& u : v) u = 1.0 - u / 5e9;
  Flickermeter lamp_a(FlickerLamp::v230_50Hz), lamp_b = lamp_a;
  const auto pushed = push_or_book(lamp_a, v, 0, 1000);
  CHECK(pushed < 500);  // the reference of 27 s has to settle, and windows end inside periods
  push_all(lamp_b, v, 1000);
  REQUIRE(lamp_a.windows().size() == lamp_b.windows().size());
  for (std::size_t i = 0; i < lamp_a.windows().size(); ++i) {
    CHECK(lamp_a.windows()[i].first_bin == lamp_b.windows()[i].first_bin);
    CHECK(lamp_a.windows()[i].P_st == Approx(lamp_b.windows()[i].P_st).epsilon(1e-4));
  }
}

TEST_CASE("what does not repeat is never taken for settled") {
  const auto x = iteration(80e6, 30e6);
  BandMeter m = BandMeter::standard();
  m.begin(0, 60e6);
  const auto before = m.snapshot();
  m.push(x);
  CHECK_FALSE(m.settled(before, {0, period}));      // the filters still ring
  CHECK_FALSE(m.settled(before, {0, period + 1}));  // another period
  RampMeter ramp({5000});
  ramp.begin(0);
  const auto at = ramp.snapshot();
  ramp.push(x);
  CHECK_FALSE(ramp.settled(at, {0, period}));  // its window looks back over what came before
}
