#include "grid/power_line.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "catch.hpp"
#include "grid/load_records.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
/// A minute of a job at 0.537 Hz with a second harmonic, on a drift as of a warm-up.
std::vector<double> minute(double first_W, double second_W, double drift_W) {
  constexpr double pi = std::numbers::pi, Hz = 0.537;
  std::vector<double> P(60'000);
  for (std::size_t i = 0; i < P.size(); ++i) {
    const double s = static_cast<double>(i) * 1e-3;
    P[i] = 89e6 + drift_W * std::exp(-s / 20.0) + first_W * std::sin(2 * pi * Hz * s) +
           second_W * std::sin(4 * pi * Hz * s);
  }
  return P;
}
}  // namespace

TEST_CASE("the largest line is the job's, with its amplitude, not the drift below it") {
  const auto P = minute(0.09e6, 0.075e6, 2e6);
  const auto line = largest_line(power_spectrum(P, 1e-3));
  CHECK(line.frequency_Hz == Approx(0.537).epsilon(5e-3));
  CHECK(line.amplitude_W == Approx(0.09e6).epsilon(0.05));
  CHECK(line.lowest_Hz == Approx(4.0 / line.segment_s));
  CHECK(largest_line(power_spectrum(minute(0.07e6, 0.09e6, 0.0), 1e-3)).frequency_Hz == Approx(1.074).epsilon(5e-3));
}

TEST_CASE("the load that repeats has the frequency and the fundamental of that line") {
  const auto P = minute(0.09e6, 0.075e6, 0.0);
  const auto line = largest_line(power_spectrum(P, 1e-3));
  const auto load = repeating_load(P, 1e-3, 1.0);
  CHECK(load.Hz == line.frequency_Hz);
  CHECK(load.peak_to_peak_MW * 2.0 / std::numbers::pi * std::sin(std::numbers::pi * load.duty) ==
        Approx(1e-6 * line.amplitude_W));
}

TEST_CASE("no line in a record that is too short or constant, and lines below the lowest frequency are not looked at") {
  CHECK(largest_line(power_spectrum(std::vector<double>(10, 1e6), 1e-3)).amplitude_W == 0.0);
  CHECK(largest_line(power_spectrum(std::vector<double>(60'000, 1e6), 1e-3)).amplitude_W == Approx(0.0).margin(1e-3));
  CHECK(largest_line(power_spectrum(minute(0.09e6, 0.075e6, 0.0), 1e-3), 0.9).frequency_Hz ==
        Approx(1.074).epsilon(5e-3));
}
