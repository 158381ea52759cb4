#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace tidewatt::cooling {

/// Monthly climate of a place, twelve values per list, January first. A catalog entry of kind `climate`.
struct ClimateParams {
  std::string place;
  double latitude_deg = 0.0, longitude_deg = 0.0, altitude_m = 0.0, utc_offset_s = 0.0;
  double low_s = 0.0, high_s = 0.0;          ///< local standard time of the coolest and the warmest moment
  std::vector<double> pressure_Pa;           ///< mean
  std::vector<double> typical_drybulb_K;     ///< mean
  std::vector<double> typical_range_K;       ///< mean of daily maximum minus daily minimum
  std::vector<double> typical_wetbulb_K;     ///< mean
  std::vector<double> hot_max_K, hot_min_K;  ///< a day whose maximum 1 % of the month's hours exceed
  std::vector<double> hot_wetbulb_K;         ///< at that maximum
  std::vector<double> extreme_max_K, extreme_min_K, extreme_wetbulb_K;  ///< the month's hottest day
  void fields(FieldVisitor& v);
};

enum class ClimateDay { typical, hot, extreme };

/// A day of that month, repeated: dry bulb follows DiurnalShape through hourly knots between its minimum and maximum (a
/// typical day keeps the monthly mean and range instead); humidity ratio is constant, such that the wet bulb has its
/// tabulated value at the maximum (typical: at the mean); where that would exceed saturation in the small hours the
/// air is saturated, which is noted.
/// @param month 1 to 12  @param start_hour local standard time at run time 0, 0 to 23
/// @throws InputError if month, hour or the lists' lengths are wrong, or a wet bulb is above its dry bulb
Weather climate_weather(const ClimateParams& climate, int month, ClimateDay kind, int start_hour = 0);

}  // namespace tidewatt::cooling
