#pragma once
#include <span>
#include <string_view>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A figure of a result's summary by its key, in the unit at the key's end; NaN if the run does not have it.
///
///     const double pue = figure(result, "pue");
///
/// An entry of a list of figures has the list's key before it: `limiter_share.power`.
/// @throws InputError if the key is unknown or its value is a text or a list; the error names the nearest known key
TIDEWATT_API double figure(const Result& result, std::string_view key);

/// A list of whole numbers in a result's summary, such as `throughput_min_hours`; valid while `result` lives.
/// @throws InputError if the key has no such list; the error names the nearest known key
TIDEWATT_API std::span<const std::int64_t> whole_numbers(const Result& result, std::string_view key);

/// The numbers of one array of a result, in the array's unit (SI), time first; valid while `result` lives.
/// @param path such as "/day/pcc_mean_W"
/// @throws InputError if there is no such array of floating-point numbers; the error names the nearest known path
TIDEWATT_API std::span<const double> values(const Result& result, std::string_view path);

}  // namespace TIDEWATT_NAMESPACE::sim
