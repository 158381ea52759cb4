#include "tidewatt/mitigation/battery_wear.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/block.hpp"
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

ReactivePoint compensate(const ReactiveParams& p, double converter_W, double pcc_W, double load_var) {
  if (!(p.rating_VA > 0.0) || !(p.target_power_factor_frac > 0.0 && p.target_power_factor_frac <= 1.0))
    throw InputError("reactive power: the rating must be positive and the power factor in (0, 1]");
  const double pf = p.target_power_factor_frac, aim_var = std::abs(pcc_W) * std::sqrt(1.0 - pf * pf) / pf;
  const double room_var = std::sqrt(std::max(0.0, p.rating_VA * p.rating_VA - converter_W * converter_W));
  ReactivePoint out;
  const double asked_var = load_var > aim_var ? aim_var - load_var : 0.0;  // a better factor than the aim is left alone
  out.var = std::clamp(asked_var, -room_var, room_var);
  out.not_given_var = std::abs(asked_var - out.var);
  out.limited = out.var != asked_var;
  out.pcc_var = load_var + out.var;
  return out;
}

void compensate(const ReactiveParams& p, std::span<const double> converter_W, std::span<const double> pcc_W,
                std::span<double> pcc_var, ReactiveMeters& m) {
  if (converter_W.size() != pcc_var.size() || pcc_W.size() != pcc_var.size())
    throw InputError("reactive power: chunks differ in length");
  for (std::size_t k = 0; k < pcc_var.size(); ++k) {
    const ReactivePoint point = compensate(p, converter_W[k], pcc_W[k], pcc_var[k]);
    pcc_var[k] = point.pcc_var;
    m.n_limited += point.limited ? 1 : 0;
    m.not_given_vars += point.not_given_var * numerics::bin_s;
    m.most_var = std::max(m.most_var, std::abs(point.var));
  }
}

}  // namespace TIDEWATT_NAMESPACE::mitigation
