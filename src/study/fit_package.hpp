#pragma once
#include "fit_thermal.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// The package whose two visible poles are the fitted ones: resistances of die and base share the fast pole's, the sink
/// takes the slow pole's at the fan speed of the record, and capacities of base and sink are turned until the modes' time
/// constants agree. Die capacity and exponent stay.
/// @param fan_frac  speed during the record ÷ full speed
/// @throws SolverError where no such package exists
thermal::PackageParams package_with_poles(const thermal::PackageParams& like, const TwoPoles& poles, double fan_frac);

}  // namespace TIDEWATT_NAMESPACE::study
