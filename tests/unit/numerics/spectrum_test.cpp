#include "numerics/spectrum.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using numerics::Welch;

namespace {
constexpr double pi = 3.14159265358979323846;
std::vector<double> sine(double amplitude, double f_Hz, double rate_Hz, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = 7.0 + amplitude * std::sin(2 * pi * f_Hz * static_cast<double>(i) / rate_Hz + 0.4);
  return x;
}
}  // namespace

TEST_CASE("a sine's amplitude to 0.1 % and its frequency to 0.1 bin, wherever it lies between bins") {
  const double rate_Hz = 1000.0, bin_Hz = rate_Hz / 4096;
  for (double k = 20.0; k <= 21.0; k += 0.1) {
    Welch w(4096, rate_Hz);
    const auto x = sine(3.0e6, k * bin_Hz, rate_Hz, 20000);
    w.push(x);
    const auto line = w.result().dominant(0.1);
    CHECK(std::abs(line.frequency_Hz / bin_Hz - k) < 0.1);
    CHECK(line.amplitude == Approx(3.0e6).epsilon(1e-3));
  }
}

TEST_CASE("the spectrum's integral is the signal's variance") {
  std::vector<double> x(1u << 18);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 5.0 + 2.0 * random::normal(1, random::Purpose::jitter, i);
  Welch w(1024, 1000.0);
  w.push(x);
  const auto s = w.result();
  CHECK(s.n_segment == 511);
  CHECK(s.band_rms(0.0, 500.0) == Approx(2.0).epsilon(0.01));                     // random: 511 segments
  CHECK(s.band_rms(100.0, 200.0) == Approx(2.0 * std::sqrt(0.2)).epsilon(0.03));  // white
  Welch sinusoid(1024, 1000.0);
  sinusoid.push(sine(4.0, 125.0, 1000.0, 10240));
  CHECK(sinusoid.result().band_rms(0.0, 500.0) == Approx(4.0 / std::sqrt(2.0)).epsilon(1e-12));
}

TEST_CASE("a square wave's harmonics are 2A/(n pi) |sin(n pi D)|") {
  const double rate_Hz = 1000.0, period_s = 2.048, duty = 0.3125, swing = 8.0e6;  // 640 of 2048 samples
  std::vector<double> x(200000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i % 2048) < 640 ? 2.0e6 + swing : 2.0e6;
  Welch w(16384, rate_Hz);
  w.push(x);
  const auto s = w.result();
  for (int n = 1; n <= 9; ++n) {
    const double expected = 2.0 * swing / (n * pi) * std::abs(std::sin(n * pi * duty));
    CHECK(s.amplitude(static_cast<std::size_t>(8 * n)) == Approx(expected).epsilon(1e-3).margin(1e-6 * swing));
  }
  CHECK(s.dominant(0.05).frequency_Hz == Approx(1.0 / period_s).epsilon(1e-3));
  CHECK(s.dominant(0.8).frequency_Hz == Approx(2.0 / period_s).epsilon(1e-3));
}

TEST_CASE("the slope of something slower is no line") {
  auto x = sine(0.2, 9.0, 1000.0, 20000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 5.0 * std::sin(2 * pi * static_cast<double>(i) / 20000.0);
  Welch w(4096, 1000.0);
  w.push(x);
  const auto s = w.result();
  const auto line = s.dominant(0.4);  // bin 2 is on the slope and higher than the line
  REQUIRE(s.amplitude(2) > 0.2);
  CHECK(line.frequency_Hz == Approx(9.0).epsilon(0.01));
  CHECK(line.amplitude == Approx(0.2).epsilon(0.02));
}

TEST_CASE("chunks do not matter, an odd segment counts, a gap is never bridged") {
  const auto x = sine(1.0, 30.0, 1000.0, 5000);
  Welch whole(1024, 1000.0), parts(1024, 1000.0);
  whole.push(x);
  const std::span<const double> all(x);
  for (std::size_t i = 0; i < x.size(); i += 7) parts.push(all.subspan(i, std::min<std::size_t>(7, x.size() - i)));
  CHECK(whole.result().psd == parts.result().psd);
  CHECK(whole.result().n_segment == 8);

  Welch odd(1024, 1000.0);
  odd.push(all.first(1024 + 512 + 512));
  CHECK(odd.result().n_segment == 3);
  CHECK(odd.result().dominant(1.0).amplitude == Approx(1.0).epsilon(1e-3));

  Welch gapped(1024, 1000.0);
  for (int i = 0; i < 50; ++i) {
    gapped.push(all.first(1000));  // never a whole segment
    gapped.gap();
  }
  CHECK(gapped.result().n_segment == 0);
  CHECK(gapped.result().dominant(1.0).amplitude == 0.0);
}

TEST_CASE("lengths that are not powers of two are refused") { CHECK_THROWS_AS(Welch(1000, 1000.0), InputError); }
