#pragma once
#include <string>

#include "grid/ride_verdict.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Voltage against duration as SVG: where the rule requires the load to stay (blue), text that could not be read (yellow), and
/// the site's response to each simulated sag.
std::string ride_plot(const grid::RideVerdict& verdict, const std::string& title);

}  // namespace TIDEWATT_NAMESPACE::study
