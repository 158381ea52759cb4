// Meters of the waveform, the power's and the bus's, each by itself.
#include "connection/waveform_meters.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

constexpr double two_pi = 6.283185307179586;

std::vector<double> sine(std::int64_t first_bin, std::size_t n, double mean, double amplitude, double f_Hz) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = mean +
           amplitude * std::sin(two_pi * f_Hz * static_cast<double>(first_bin + static_cast<std::int64_t>(i)) * 1e-3);
  return x;
}

}  // namespace

TEST_CASE("a range says what was lowest and highest, and where it was first", "[stages]") {
  RangeMeter m;
  m.push(100, std::vector<double>{3.0, 1.0, 5.0, 1.0});
  m.push(104, std::vector<double>{5.0, 0.5});
  CHECK(m.low() == 0.5);
  CHECK(m.low_bin() == 105);
  CHECK(m.high() == 5.0);
  CHECK(m.high_bin() == 102);
}

TEST_CASE("a sine in a band has its rms there, one line, and its swing as range", "[stages]") {
  GridMeterParams p;
  p.spread_frac = 0.1;
  p.rules.emplace_back().rules = {{"line", "", grid::Metric::line_share, 0, 0.1, 20, 0.2}};
  LoadMeters m(p);
  constexpr double f_Hz = 33 * 1000.0 / 65536;  // on a bin of the spectrum; half a hertz
  m.begin(0, 10e6);
  for (std::int64_t bin = 0; bin < 400'000; bin += 1000) m.push(sine(bin, 1000, 10e6, 1e6, f_Hz));
  grid::WaveformFigures f;
  m.add_figures(f);
  CHECK(f.peak_W.value == Approx(11e6).epsilon(1e-5));
  CHECK(f.range_W.value == Approx(2e6).epsilon(1e-5));
  CHECK(f.range_W.spread == Approx(0.1 * f.range_W.value));
  CHECK(f.mean_W.value == Approx(10e6).epsilon(1e-3));
  CHECK(f.bands.front().rms_W.value == Approx(1e6 / std::sqrt(2.0)).epsilon(0.03));  // 0.1 to 1 Hz
  CHECK(f.bands.back().line_share_frac.value == Approx(1.0).epsilon(0.02));          // of 0.1 to 20 Hz
  // The steepest change over 0.1 s is that of the sine's slope.
  CHECK(m.ramps().front().up_W_per_s == Approx(1e6 * two_pi * f_Hz).epsilon(0.02));
}

TEST_CASE("booked repetitions give the bands, cycles and energy of repetitions that pass", "[stages]") {
  GridMeterParams p;
  LoadMeters each(p), booked(p);
  each.begin(0, 10e6), booked.begin(0, 10e6);
  const auto period = sine(0, 2000, 10e6, 1e6, 0.5);
  double J = 0.0;
  for (const double W : period) J += W * 1e-3;
  for (int i = 0; i < 60; ++i) each.push(period);
  for (int i = 0; i < 20; ++i) booked.push(period);
  const auto mark = booked.mark();
  for (int i = 0; i < 10; ++i) booked.push(period);
  booked.repeat(booked.since(mark), 60'000, 30.0 * J, 0);
  grid::WaveformFigures a, b;
  each.add_figures(a), booked.add_figures(b);
  CHECK(b.mean_W.value == Approx(a.mean_W.value).epsilon(1e-12));
  CHECK(booked.bands().front().rms_W == Approx(each.bands().front().rms_W).epsilon(0.005));
  double n_each = 0.0, n_booked = 0.0;
  for (const auto& c : each.cycles()) n_each += c.count;
  for (const auto& c : booked.cycles()) n_booked += c.count;
  CHECK(n_booked == Approx(n_each).margin(1.5));
}

TEST_CASE("voltage and frequency are measured from their rest, and stays outside counted once each", "[stages]") {
  GridMeterParams p;
  p.spread_frac = 0.2;
  BusMeters m(p);
  m.begin(0, 1.0);
  std::vector<double> pu(1000, 1.0), Hz(1000, 0.0);
  for (std::size_t i = 300; i < 400; ++i) pu[i] = 0.9;
  for (std::size_t i = 700; i < 750; ++i) Hz[i] = -0.05;
  m.push(0, pu, Hz);
  CHECK(m.voltage().below().count == 1);
  CHECK(m.voltage().below().bins == 100);
  CHECK(m.voltage().above().count == 0);
  CHECK(m.frequency().below().bins == 50);
  grid::WaveformFigures f;
  m.add_figures(f);
  CHECK(f.voltage_low_pu.value == 0.9);
  CHECK(f.voltage_low_pu.spread == Approx(0.02));  // a share of the distance from rest
  CHECK(f.voltage_change_pu.value == Approx(0.1));
  CHECK(f.frequency_low_Hz.value == Approx(59.95));
  CHECK(std::isnan(f.P_st.value));  // no ten minutes yet
}
