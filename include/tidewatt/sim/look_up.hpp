#pragma once
#include <span>
#include <string_view>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A figure of a result's summary by its key, in the unit at the key's end; NaN where the run has none.
///
///     const double pue = figure(result, "pue");
///
/// An entry of a list of figures has the list's key before it: `limiter_share.power`.
/// @throws InputError if the key is unknown, a text or a list of whole numbers; names the nearest known one
TIDEWATT_API double figure(const Result& result, std::string_view key);

/// A list of whole numbers in a result's summary, such as `throughput_min_hours`, as long as `result` lives.
/// @throws InputError if there is none of that key; names the nearest known one
TIDEWATT_API std::span<const std::int64_t> whole_numbers(const Result& result, std::string_view key);

/// The numbers of one of a result's arrays, in its own unit (SI), time first, as long as `result` lives.
/// @param path such as "/day/pcc_mean_W"
/// @throws InputError if there is none, or its values are not floating-point numbers; names the nearest known one
TIDEWATT_API std::span<const double> values(const Result& result, std::string_view path);

}  // namespace TIDEWATT_NAMESPACE::sim
