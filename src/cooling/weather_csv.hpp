#pragma once
#include <string>
#include <string_view>

#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Measured weather as comma-separated values. The first line names the columns; a name is a quantity with its unit:
/// `time` (first; local standard time, 2024-07-01T13:00), one of `drybulb_degC`, `drybulb_degF`; one of
/// `dewpoint_degC`, `dewpoint_degF`, `wetbulb_degC`, `rh_pct`, `rh_frac`; at most one of `pressure_Pa`, `pressure_hPa`
/// (else the standard atmosphere at `altitude_m`, noted). Values are instants, evenly spaced, without gaps. Strict: unknown or doubled columns, text, empty fields, values out of range, moisture above
/// saturation, uneven or backward times and impossible dates are findings, all reported at once (20 at most).
/// @param altitude_m -500 to 9,000
/// @param start local standard time at which the run begins, like those of the file and within them; empty: at the first
/// @throws InputError
Weather parse_weather_csv(std::string_view text, const std::string& file, double altitude_m,
                          std::string_view start = {});
/// @throws InputError also if the file is missing or larger than 64 MiB
Weather read_weather_csv(const std::string& path, double altitude_m, std::string_view start = {});

}  // namespace TIDEWATT_NAMESPACE::cooling
