#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// The middle one of `x`, or the mean of the two middle ones. @param x any unit, [n], n at least 1  @returns in the unit of `x`
inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

}  // namespace TIDEWATT_NAMESPACE
