#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// For tests of meters that book repetitions.
namespace iteration_wave {

constexpr std::int64_t period = 2000;  ///< bins: a whole number of ripples of the mains

/// An iteration with a stall and a ripple.
inline std::vector<double> iteration(double high, double low) {
  std::vector<double> x(static_cast<std::size_t>(period));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (i < 1500 ? high : low) + 0.02 * (high - low) * std::sin(static_cast<double>(i) * 0.0125663706);
  return x;
}

template <class Meter>
void push(Meter& meter, std::span<const double> x, std::int64_t n = 1) {
  for (std::int64_t k = 0; k < n; ++k) meter.push(x);
}

/// `n` periods, of which the last `n_booked` are booked as repetitions of the period before them.
template <class Meter>
void push_and_book(Meter& meter, std::span<const double> x, std::int64_t n, std::int64_t n_booked) {
  push(meter, x, n - n_booked - 1);
  const auto before = meter.snapshot();
  push(meter, x);
  meter.repeat_bins(meter.since(before), n_booked * period);
}

}  // namespace iteration_wave
