#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Monthly climate of a place, twelve values per list, January first. A catalog entry of kind `climate`.
struct TIDEWATT_API ClimateParams {
  std::string place;                      ///< name of the place
  double latitude_deg = 0.0;              ///< north positive
  double longitude_deg = 0.0;             ///< east positive
  double altitude_m = 0.0;                ///< above sea level
  double utc_offset_s = 0.0;              ///< local standard time minus UTC
  double low_s = 0.0;                     ///< local standard time of the coolest moment
  double high_s = 0.0;                    ///< local standard time of the warmest moment
  std::vector<double> pressure_Pa;        ///< mean
  std::vector<double> typical_drybulb_K;  ///< mean
  std::vector<double> typical_range_K;    ///< mean of daily maximum minus daily minimum
  std::vector<double> typical_wetbulb_K;  ///< mean
  std::vector<double> hot_max_K;          ///< dry bulb that 1 % of the month's hours exceed
  std::vector<double> hot_min_K;          ///< lowest dry bulb of such a day
  std::vector<double> hot_wetbulb_K;      ///< at that maximum
  std::vector<double> extreme_max_K;      ///< highest dry bulb of the month
  std::vector<double> extreme_min_K;      ///< lowest dry bulb of that day
  std::vector<double> extreme_wetbulb_K;  ///< wet bulb at the highest dry bulb
  void fields(FieldVisitor& v);
};

enum class ClimateDay { typical, hot, extreme };

/// A day of that month, repeated: dry bulb follows DiurnalShape through hourly knots between its minimum and maximum (a
/// typical day keeps the monthly mean and range instead); humidity ratio is constant, such that the wet bulb has its
/// tabulated value at the maximum (typical: at the mean); where that would exceed saturation in the small hours the
/// air is saturated, which is noted.
/// @param month 1 to 12  @param start_hour local standard time at run time 0, 0 to 23
/// @throws InputError if month, hour or the lists' lengths are wrong, or a wet bulb is above its dry bulb
TIDEWATT_API Weather climate_weather(const ClimateParams& climate, int month, ClimateDay kind, int start_hour = 0);

/// A year of 365 days, hour by hour, that starts on 1 January at midnight and repeats. Daily means depart from the
/// month's by a first-order autoregression,
///
///     x_{d+1} = φ x_d + sqrt(1-φ²) ξ,   mean_d = mean_m + σ_m x_d,   σ_m = (mean of a hot day - mean_m)/1.5,
///
/// made exact within each month (mean 0, variance 1), so that a typical year has the tabulated monthly means for every
/// seed; the hours follow DiurnalShape through the month's mean range, so daily extremes fall on knots. A hot year is
/// warmer by σ_m/2; an extreme one has the month's hottest day instead of the warmest. Humidity ratio is constant
/// over a day: wet-bulb depression of the month at the day's mean, or the hottest day's own; saturation is noted.
/// @param persistence φ of daily means, 0 to 1 excluded; 0.65 is usual in mid-latitudes (assumed, 0.5–0.8)
/// @throws InputError as climate_weather
TIDEWATT_API Weather climate_year(const ClimateParams& climate, ClimateDay kind, std::uint64_t seed,
                                  double persistence = 0.65);

/// Throws InputError unless every list has twelve values, maxima are above minima and wet bulbs below dry bulbs.
/// @throws InputError
TIDEWATT_API void check_climate(const ClimateParams& climate);

}  // namespace TIDEWATT_NAMESPACE::cooling
