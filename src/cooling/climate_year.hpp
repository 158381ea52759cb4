#pragma once
#include "tidewatt/cooling/climate.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// The generated year of climate.hpp, entered at another time than 1 January, midnight.
/// @param persistence φ of daily means, 0 to 1 excluded  @param start time of the year at run time 0, 0 to 365 days, the end excluded
/// @throws InputError as climate_weather
Weather climate_year(const ClimateParams& climate, ClimateDay kind, std::uint64_t seed, double persistence, Tick start);

}  // namespace TIDEWATT_NAMESPACE::cooling
