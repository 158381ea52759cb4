#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Nanoseconds of a time in one of the formats s, ms, us, ns or iso8601; empty and `out` set, or the error.
std::string parse_time_ns(std::string_view text, std::string_view format, std::int64_t& out);

}  // namespace TIDEWATT_NAMESPACE::workload
