#include "outdoor_air.hpp"

#include <algorithm>

#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::sim {

cooling::WeatherSample OutdoorAir::given(cooling::WeatherSample s) const {
  if (!drybulb_K_ && !wetbulb_K_) return s;
  s.drybulb_K = drybulb_K_.value_or(s.drybulb_K);
  if (wetbulb_K_) {
    const double driest_K = cooling::wet_bulb_K(s.drybulb_K, 0.0, s.pressure_Pa);
    s.wetbulb_K = std::clamp(*wetbulb_K_, driest_K, s.drybulb_K);
    s.humidity_ratio =
        std::max(0.0, cooling::humidity_ratio_from_wet_bulb(s.drybulb_K, s.wetbulb_K, s.pressure_Pa));  // rounding
  } else {
    s.humidity_ratio = std::min(s.humidity_ratio, cooling::saturated_humidity_ratio(s.drybulb_K, s.pressure_Pa));
    s.wetbulb_K = cooling::wet_bulb_K(s.drybulb_K, s.humidity_ratio, s.pressure_Pa);
  }
  return s;
}

}  // namespace TIDEWATT_NAMESPACE::sim
