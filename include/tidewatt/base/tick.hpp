#pragma once
#include <cstdint>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Simulated time: whole nanoseconds since the start of the run. All state and all events use it, so that
/// 54 days add up exactly (a double clock in 1 ms steps drifts by 0.37 s over the same span).
using Tick = std::int64_t;

inline constexpr Tick ns_per_s = 1'000'000'000;
inline constexpr Tick ns_per_ms = 1'000'000;

/// Seconds as a double; exact to 1 ulp of the result. For right-hand sides and reports, never for state.
/// @returns s
constexpr double seconds(Tick t) { return static_cast<double>(t) * 1e-9; }

/// Nearest tick to `s` seconds, |s| <= 9.2e9. @throws InputError if `s` is not finite or out of range.
TIDEWATT_API Tick to_tick(double s);

}  // namespace TIDEWATT_NAMESPACE
