#pragma once
// Private: means of a site's power, as orders are settled by.
#include <functional>
#include <string>
#include <vector>

#include "grid/order_metering.hpp"
#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Means of the connection's power and their largest milliseconds.
struct SiteMeans {
  grid::MeterRecord record;
  std::vector<double> highest_W;  ///< [interval] largest millisecond
};

/// The finest means that a result keeps: over 1, 10 or 60 s. @param find array of the result by its path, or nullptr
/// @returns without intervals if it keeps none
SiteMeans site_means(const std::function<const NamedArray*(const std::string&)>& find);

}  // namespace TIDEWATT_NAMESPACE::sim
