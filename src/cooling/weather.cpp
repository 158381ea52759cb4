#include "tidewatt/cooling/weather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/cooling/diurnal.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

Tick floor_div(Tick a, Tick b) { return a / b - (a % b < 0 ? 1 : 0); }

WeatherSample blend(const WeatherSample& a, const WeatherSample& b, double frac) {
  const auto mix = [frac](double x, double y) { return x + frac * (y - x); };
  return {mix(a.drybulb_K, b.drybulb_K), mix(a.humidity_ratio, b.humidity_ratio), mix(a.wetbulb_K, b.wetbulb_K),
          mix(a.pressure_Pa, b.pressure_Pa)};
}

bool physical(const WeatherSample& s) {
  return s.drybulb_K > 180.0 && s.drybulb_K < 345.0 && s.humidity_ratio >= 0.0 && s.humidity_ratio < 0.2 &&
         s.wetbulb_K > 150.0 && s.wetbulb_K <= s.drybulb_K + 1e-9 && s.pressure_Pa > 2e4 && s.pressure_Pa < 1.3e5;
}

struct SampleSum {
  CompensatedSum drybulb, humidity, wetbulb, pressure;
  void add(const WeatherSample& a, const WeatherSample& b, double half_s) {
    drybulb.add(half_s * (a.drybulb_K + b.drybulb_K));
    humidity.add(half_s * (a.humidity_ratio + b.humidity_ratio));
    wetbulb.add(half_s * (a.wetbulb_K + b.wetbulb_K));
    pressure.add(half_s * (a.pressure_Pa + b.pressure_Pa));
  }
  WeatherSample over(double s) const {
    return {drybulb.value() / s, humidity.value() / s, wetbulb.value() / s, pressure.value() / s};
  }
};

}  // namespace

WeatherSample moved(const WeatherSample& from, const WeatherSample& per_s, double s) {
  return {from.drybulb_K + s * per_s.drybulb_K, std::max(0.0, from.humidity_ratio + s * per_s.humidity_ratio),
          from.wetbulb_K + s * per_s.wetbulb_K, from.pressure_Pa + s * per_s.pressure_Pa};
}

WeatherSample moves_per_s(const WeatherSample& from, const WeatherSample& to, double s) {
  return {(to.drybulb_K - from.drybulb_K) / s, (to.humidity_ratio - from.humidity_ratio) / s,
          (to.wetbulb_K - from.wetbulb_K) / s, (to.pressure_Pa - from.pressure_Pa) / s};
}

Weather::Weather(WeatherSeries series) : series_(std::move(series)) {
  if (series_.knots.empty() || series_.step_ns <= 0)
    throw InputError("weather: no values, or a step that is not positive");
  for (std::size_t i = 0; i < series_.knots.size(); ++i)
    if (!physical(series_.knots[i]))
      throw InputError(fmt::format("weather: value {} of {} is not a state of outdoor air", i + 1, series_.source));
}

void Weather::check_inside(Tick t_ns) const {
  if (series_.periodic) return;
  const Tick last = series_.first_ns + static_cast<Tick>(series_.knots.size() - 1) * series_.step_ns;
  if (t_ns < series_.first_ns || t_ns > last)
    throw InputError(fmt::format("weather: {} covers {:.6g} to {:.6g} s of the run, asked for {:.6g} s", series_.source,
                                 seconds(series_.first_ns), seconds(last), seconds(t_ns)));
}

const WeatherSample& Weather::knot(Tick index) const {
  const Tick n = static_cast<Tick>(series_.knots.size());
  // The last instant of a series that does not repeat has no right neighbour: it is its own.
  const Tick i = series_.periodic ? index - floor_div(index, n) * n : (index < n ? index : n - 1);
  return series_.knots[static_cast<std::size_t>(i)];
}

WeatherSample Weather::between(Tick index, double frac) const {
  return frac > 0.0 ? blend(knot(index), knot(index + 1), frac) : knot(index);
}

WeatherSample Weather::at(Tick t_ns) const {
  check_inside(t_ns);
  const Tick since = t_ns - series_.first_ns;
  const Tick i = floor_div(since, series_.step_ns);
  return between(i, static_cast<double>(since - i * series_.step_ns) / static_cast<double>(series_.step_ns));
}

bool Weather::even(Tick t0_ns, Tick t1_ns) const {
  return floor_div(t0_ns - series_.first_ns, series_.step_ns) >=
         floor_div(t1_ns - 1 - series_.first_ns, series_.step_ns);
}

WeatherSample Weather::mean(Tick t0_ns, Tick t1_ns) const {
  if (t1_ns < t0_ns) throw InputError("weather: a mean over an interval that ends before it starts");
  if (t0_ns == t1_ns) return at(t0_ns);
  check_inside(t1_ns);
  SampleSum sum;
  WeatherSample left = at(t0_ns);
  Tick t = t0_ns;
  while (t < t1_ns) {  // from knot to knot; straight lines in between, so trapezoids are exact
    const Tick next_knot = series_.first_ns + (floor_div(t - series_.first_ns, series_.step_ns) + 1) * series_.step_ns;
    const Tick next = next_knot < t1_ns ? next_knot : t1_ns;
    const WeatherSample right = at(next);
    sum.add(left, right, 0.5 * seconds(next - t));
    left = right;
    t = next;
  }
  return sum.over(seconds(t1_ns - t0_ns));
}

}  // namespace TIDEWATT_NAMESPACE::cooling
