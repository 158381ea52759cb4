#include "tidewatt/grid/bands.hpp"

#include <cmath>

#include "catch.hpp"
#include "iteration_wave.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using grid::BandMeter;

namespace {
constexpr double two_pi = 6.283185307179586;

std::vector<double> sine(double f_Hz, double amplitude_W, double duration_s, double mean_W = 50e6) {
  std::vector<double> out(static_cast<std::size_t>(duration_s * 1000));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = mean_W + amplitude_W * std::sin(two_pi * f_Hz * (static_cast<double>(i) + 0.5) * 1e-3);
  return out;
}
}  // namespace

TEST_CASE("a sine lands in its band with its power, and hardly in the others") {
  const double f_Hz[] = {0.316, 1.6, 4.2, 20.0};
  for (std::size_t band = 0; band < 4; ++band) {
    BandMeter m = BandMeter::standard();
    m.begin(0, 50e6);
    m.push(sine(f_Hz[band], 2e6, 200.0));
    const auto b = m.bands();
    CHECK(b[band].rms_W == Approx(2e6 * m.gain(band, f_Hz[band]) / std::sqrt(2.0)).epsilon(0.01));
    CHECK(m.gain(band, f_Hz[band]) > 0.93);
    for (std::size_t other = 0; other < 4; ++other)
      if (other != band) CHECK(b[other].energy_W2s < 0.08 * b[band].energy_W2s);
  }
}

TEST_CASE("neighbours share a sine at their edge, and together they have nearly all of it") {
  const BandMeter m = BandMeter::standard();
  for (const double edge_Hz : {1.0, 2.5, 7.0}) {
    double power = 0.0;
    for (std::size_t k = 0; k < 4; ++k) power += m.gain(k, edge_Hz) * m.gain(k, edge_Hz);
    CHECK(power == Approx(1.0).epsilon(0.06));
  }
  CHECK(m.gain(0, 0.01) < 2e-4);  // four octaves and more below: 24 dB each
  CHECK(m.gain(3, 60.0) == Approx(std::sqrt(0.5)).epsilon(0.05));
}

TEST_CASE("a steady load has no energy in any band, at whatever level, and pushing in pieces changes no bit") {
  BandMeter steady = BandMeter::standard();
  steady.begin(5, 80e6);
  steady.push(std::vector<double>(20'000, 80e6));
  for (const auto& b : steady.bands()) CHECK(b.energy_W2s == 0.0);
  const auto wave = sine(3.0, 1e6, 20.001);
  BandMeter whole = BandMeter::standard(), pieces = whole;
  whole.push(wave);
  for (std::size_t at = 0; at < wave.size(); at += 333)
    pieces.push(std::span(wave).subspan(at, std::min<std::size_t>(333, wave.size() - at)));
  for (std::size_t k = 0; k < 4; ++k) CHECK(whole.bands()[k].energy_W2s == pieces.bands()[k].energy_W2s);
}

TEST_CASE("up to eight bands of one's own; wrong ones are refused") {
  BandMeter five({{0.1, 0.5}, {0.5, 1}, {1, 2}, {2, 5}, {5, 20}});
  five.begin(0, 0.0);
  five.push(sine(3.0, 1e6, 60.0, 0.0));
  CHECK(five.bands()[3].rms_W == Approx(1e6 * five.gain(3, 3.0) / std::sqrt(2.0)).epsilon(0.01));
  CHECK_THROWS_AS(BandMeter({{1.0, 0.5}}), InputError);
  CHECK_THROWS_AS(BandMeter(std::vector<std::pair<double, double>>{}), InputError);
}

TEST_CASE("once the filters have settled, repetitions that are booked carry the energy of pushed ones") {
  using namespace iteration_wave;
  const auto x = iteration(80e6, 30e6);
  BandMeter booked = BandMeter::standard(), pushed = booked;
  booked.begin(0, 60e6), pushed.begin(0, 60e6);
  push_and_book(booked, x, 2000, 1900);
  push(pushed, x, 2000);
  CHECK(booked.seconds() == pushed.seconds());
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(booked.bands()[k].energy_W2s == Approx(pushed.bands()[k].energy_W2s).epsilon(1e-9));
    CHECK(booked.bands()[k].peak_W == pushed.bands()[k].peak_W);
  }
}
