#include "tidewatt/mitigation/battery_wear.hpp"

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::mitigation {

void BatteryWearParams::fields(FieldVisitor& v) {
  v.number("cycles_full_ratio", cycles_full, {10, 1e8}, "cycles of full depth until end of life");
  v.number("depth_exponent_ratio", depth_exponent, {1, 4}, "exponent of the depth");
  v.number("calendar_d", calendar_s, {100, 40000}, "life at rest");
  v.number("dead_band_frac", dead_band_frac, {0, 0.5}, "swings of charge below it are throughput, not cycles");
}

BatteryWear::BatteryWear(const BatteryWearParams& p) : p_(p), band_slope_(0.0) {
  if (!(p.cycles_full > 0.0 && p.depth_exponent >= 1.0 && p.calendar_s > 0.0 && p.dead_band_frac >= 0.0))
    throw InputError("battery wear: cycles and calendar life must be positive, the exponent at least 1");
  if (p.dead_band_frac > 0.0) band_slope_ = half_cycle_life_frac(p.dead_band_frac) / p.dead_band_frac;
}

double BatteryWear::half_cycle_life_frac(double depth_frac) const {
  return depth_frac > 0.0 ? 0.5 * math::pow(depth_frac, p_.depth_exponent) / p_.cycles_full : 0.0;
}

void BatteryWear::push(double soc_frac, double elapsed_s, BatteryWearState& s, BatteryWearMeters& m) const {
  m.calendar_life_frac += elapsed_s / p_.calendar_s;
  if (s.turn_frac < 0.0) {
    s.turn_frac = s.extreme_frac = s.last_frac = soc_frac;
    return;
  }
  // All movement is throughput until it belongs to a half cycle.
  const double moved = std::abs(soc_frac - s.last_frac);
  s.last_frac = soc_frac;
  m.full_cycles += 0.5 * moved;
  m.throughput_life_frac += band_slope_ * moved;
  if (s.direction == 0) {
    s.extreme_frac = soc_frac;
    if (std::abs(soc_frac - s.turn_frac) > p_.dead_band_frac) s.direction = soc_frac > s.turn_frac ? 1 : -1;
    return;
  }
  const double sign = static_cast<double>(s.direction);
  if (sign * (soc_frac - s.extreme_frac) >= 0.0) {
    s.extreme_frac = soc_frac;
    return;
  }
  if (sign * (s.extreme_frac - soc_frac) <= p_.dead_band_frac) return;
  const double depth_frac = std::abs(s.extreme_frac - s.turn_frac);  // turned: a half cycle is complete
  ++m.n_half_cycle;
  if (depth_frac > p_.dead_band_frac) {
    m.cycle_life_frac += half_cycle_life_frac(depth_frac);
    m.throughput_life_frac -= band_slope_ * depth_frac;
  }
  s.turn_frac = s.extreme_frac;
  s.extreme_frac = soc_frac;
  s.direction = -s.direction;
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
