#pragma once
#include <cstddef>
#include <span>

#include "tidewatt/base/tick.hpp"

/// Helpers for streams of uniform 1 ms means.
namespace TIDEWATT_NAMESPACE::numerics {

/// Length of one bin of a site-level waveform.
inline constexpr double bin_s = seconds(ns_per_ms);

/// Samples that a chunk function works on at a time: small enough for the first-level cache.
inline constexpr std::size_t block_size = 512;

/// Sum in a fixed order of eight lanes, so that it vectorises and its bits never change. For blocks, whose rounding
/// error it keeps below 100 ulp; add the blocks' sums with CompensatedSum.
/// @param x [n], any unit, that of the result
double lane_sum(std::span<const double> x);

/// Largest value of a non-empty span.
/// @param x [n], any unit, that of the result
double lane_max(std::span<const double> x);

/// Smallest value of a non-empty span.
/// @param x [n], any unit, that of the result
double lane_min(std::span<const double> x);

}  // namespace TIDEWATT_NAMESPACE::numerics
