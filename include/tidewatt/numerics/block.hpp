#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/base/tick.hpp"

/// Helpers for streams of uniform 1 ms means.
namespace tidewatt::numerics {

/// Length of one bin of a site-level waveform.
inline constexpr double bin_s = seconds(ns_per_ms);

/// Samples that a chunk function works on at a time: small enough for the first-level cache.
inline constexpr std::size_t block_size = 512;

/// Sum in a fixed order of eight lanes, so that it vectorises and its bits never change. For blocks, whose rounding
/// error it keeps below 100 ulp; add the blocks' sums with CompensatedSum.
/// @param x [n], any unit, that of the result
TIDEWATT_INLINE double lane_sum(std::span<const double> x) {
  Pack8 lane{}, next;
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane += next;
  for (std::size_t k = 0; i < x.size(); ++i, ++k) lane[k] += x[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// Largest value of a non-empty span.
/// @param x [n], any unit, that of the result
TIDEWATT_INLINE double lane_max(std::span<const double> x) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    for (i = 8; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane = next > lane ? next : lane;
    for (int k = 0; k < 8; ++k) out = lane[k] > out ? lane[k] : out;
  }
  for (; i < x.size(); ++i) out = x[i] > out ? x[i] : out;
  return out;
}

/// Smallest value of a non-empty span.
/// @param x [n], any unit, that of the result
TIDEWATT_INLINE double lane_min(std::span<const double> x) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    for (i = 8; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane = next < lane ? next : lane;
    for (int k = 0; k < 8; ++k) out = lane[k] < out ? lane[k] : out;
  }
  for (; i < x.size(); ++i) out = x[i] < out ? x[i] : out;
  return out;
}

}  // namespace tidewatt::numerics
