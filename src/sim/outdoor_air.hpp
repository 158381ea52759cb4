#pragma once
// Private to sim: the air around the site.
#include <optional>

#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The scenario's weather, or what a controller outside gives in its place. Air is at most saturated: below its dew
/// point it is saturated, and its wet bulb is at most its dry bulb.
class OutdoorAir {
 public:
  explicit OutdoorAir(const cooling::Weather& weather) : weather_(weather) {}
  /// Nothing: the weather's.
  void set(std::optional<double> drybulb_K, std::optional<double> wetbulb_K) {
    drybulb_K_ = drybulb_K, wetbulb_K_ = wetbulb_K;
  }
  cooling::WeatherSample at(Tick t) const { return given(weather_.at(t)); }
  /// @throws InputError as cooling::Weather
  cooling::WeatherSample mean(Tick t0, Tick t1) const { return given(weather_.mean(t0, t1)); }
  /// How it moves from t0 to t1, per s. @throws InputError as cooling::Weather
  cooling::WeatherSample per_s(Tick t0, Tick t1) const { return moves_per_s(at(t0), at(t1), seconds(t1 - t0)); }
  bool even(Tick t0, Tick t1) const { return weather_.even(t0, t1); }
  Tick local_at_start_ns() const { return weather_.local_at_start_ns(); }

 private:
  cooling::WeatherSample given(cooling::WeatherSample s) const;
  const cooling::Weather& weather_;
  std::optional<double> drybulb_K_, wetbulb_K_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
