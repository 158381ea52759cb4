#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// State of the outdoor air.
struct TIDEWATT_API WeatherSample {
  double drybulb_K = 0.0;
  double humidity_ratio = 0.0;  ///< kg water per kg dry air
  double wetbulb_K = 0.0;
  double pressure_Pa = 0.0;
  bool operator==(const WeatherSample&) const = default;
};

/// The air `s` seconds after it was `from`. @param per_s how it moves
TIDEWATT_API WeatherSample moved(const WeatherSample& from, const WeatherSample& per_s, double s);
/// How air moves that goes evenly from one sample to another within `s` seconds, per s.
TIDEWATT_API WeatherSample moves_per_s(const WeatherSample& from, const WeatherSample& to, double s);

/// Outdoor air at evenly spaced instants of the run.
struct TIDEWATT_API WeatherSeries {
  std::vector<WeatherSample> knots;
  Tick first_ns = 0;               ///< run time of knots[0]; may be negative
  Tick step_ns = 0;                ///< > 0
  bool periodic = false;           ///< repeats with period knots.size() * step_ns
  Tick local_at_start_ns = 0;      ///< local standard time of day at run time 0
  std::string source;              ///< file or climate, for the result's provenance
  std::vector<std::string> notes;  ///< values that were filled in, limited or assumed
};

/// Outdoor air over a run. Knots are passed through and joined by straight lines in each quantity, so daily extremes
/// are kept and means are exact. Wet bulb is interpolated like the
/// others instead of being recomputed between knots: over thirteen typical years it is off by 0.005 K on average and
/// 0.5 K at most, when a front passes; the plant recomputes its own. Immutable; threads may share it.
class TIDEWATT_API Weather {
 public:
  /// @throws InputError if there is no knot, the step is not positive or a value is not finite and physical.
  explicit Weather(WeatherSeries series);
  /// @throws InputError outside the series, unless it is periodic.
  WeatherSample at(Tick t_ns) const;
  /// Exact mean of at() over [t0, t1]; at(t0) if t0 == t1. @throws InputError as at(), or if t1 < t0.
  WeatherSample mean(Tick t0_ns, Tick t1_ns) const;
  /// Whether it moves evenly from t0 to t1: no knot lies between.
  bool even(Tick t0_ns, Tick t1_ns) const;
  /// Local standard time of day at run time 0, 0 to 24 h.
  Tick local_at_start_ns() const { return series_.local_at_start_ns; }
  const std::string& source() const { return series_.source; }
  const std::vector<std::string>& notes() const { return series_.notes; }

 private:
  void check_inside(Tick t_ns) const;
  const WeatherSample& knot(Tick index) const;
  WeatherSample between(Tick index, double frac) const;
  WeatherSeries series_;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
