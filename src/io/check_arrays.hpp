#pragma once
#include <map>
#include <string>
#include <string_view>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// "/day/clock_mean_Hz" -> {"/day", "clock_mean_Hz"}; the root group is "".
struct PathParts {
  std::string group, name;
};
PathParts split_path(const std::string& path);

/// Extent of every dimension by "group/dimension", in path order.
using Extents = std::map<std::string, std::uint64_t>;

/// Checks for a file with dimension scales: absolute and distinct paths, a value for every element of the shape, one
/// extent per dimension name and group, a scale that runs along its own dimension, text without NUL.
/// @throws OutputError naming the first array that is not so.
Extents check_arrays(const sim::Result& result);

}  // namespace TIDEWATT_NAMESPACE::io
