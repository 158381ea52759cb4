#pragma once
#include <string>

#include "grid/ride_verdict.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Voltage against duration as SVG: where the rule asks the load to stay (blue), what could not be read (yellow), and the
/// site's answer at each sag that was played.
std::string ride_plot(const grid::RideVerdict& verdict, const std::string& title);

}  // namespace TIDEWATT_NAMESPACE::study
