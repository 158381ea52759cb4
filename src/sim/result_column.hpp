#pragma once
// Private to sim: arrays of a result.
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Array of doubles along one dimension.
inline NamedArray column(std::string path, std::string dim, std::vector<double> values, std::string unit,
                         std::string long_name) {
  const std::uint64_t n = values.size();
  return {std::move(path), {std::move(dim)}, {n}, std::move(values), std::move(unit), std::move(long_name)};
}

}  // namespace TIDEWATT_NAMESPACE::sim
