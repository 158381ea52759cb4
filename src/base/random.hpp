#pragma once
#include <array>
#include <cstdint>

#include "tidewatt/base/version.hpp"

/// Random numbers that are a pure function of (seed, purpose, entity, index): no state, no order, any thread.
/// Philox4x64-10 (Salmon et al. 2011, as in the Random123 library).
namespace TIDEWATT_NAMESPACE::random {

/// What the number is for. Adding a purpose never changes the numbers of another.
enum class Purpose : std::uint64_t {
  silicon_leakage = 1,
  silicon_voltage = 2,
  thermal_resistance = 3,
  recirculation = 4,
  failure_time = 5,
  failure_place = 6,
  repair = 7,
  jitter = 8,
  weather = 9,
  reading = 10,
};

/// Four words of 64 random bits: one block of Philox4x64-10.
std::array<std::uint64_t, 4> bits(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index);

/// Uniform in (0, 1), 53 bits, never 0 or 1.
/// Dimensionless.
double uniform(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index = 0);

/// Standard normal by inversion (Wichura AS 241, relative error 1e-15).
double normal(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index = 0);

/// Standard normal truncated to [lo, hi], by rejection over the index; needs lo < 0 < hi and hi - lo >= 0.1.
/// @param lo, hi dimensionless, in standard deviations, as is the result
double truncated_normal(std::uint64_t seed, Purpose purpose, std::uint64_t entity, double lo, double hi);

/// Exponential with mean 1.
/// Dimensionless.
double exponential(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index = 0);

/// Inverse of the standard normal distribution function, 0 < p < 1.
/// @param p dimensionless, as is the result (standard deviations)
double normal_quantile(double p);

}  // namespace TIDEWATT_NAMESPACE::random
