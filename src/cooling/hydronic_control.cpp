#include <algorithm>

#include "hydronic_flows.hpp"

namespace TIDEWATT_NAMESPACE::cooling::hydronic {
namespace {

double held(double x, double lo, double hi) { return std::min(std::max(x, lo), hi); }

// PI with back-calculation: the integral follows the limited output, so it does not wind up.
struct Command {
  double limited, integral_rate;
};
Command pi(double error, double reset_s, double integral, double lo) {
  const double wanted = error + integral, limited = held(wanted, lo, 1.0);
  return {limited, (error + 2.0 * (limited - wanted)) / reset_s};
}

double live_rate(double target, double now, double trip_s, double restart_s) {
  return (target - now) / (target < now ? trip_s : restart_s);
}

}  // namespace

void control_rates(const HydronicParams& p, const Waters& waters, const Conditions& c, const Flows& f,
                   std::span<const double> y, std::span<double> d) {
  const PlantCapacity& have = c.input.capacity;
  const Command coil = pi((f.cold_K - p.air_set_K) / p.air_band_K, p.air_reset_s, y[crah_integral], p.valve_floor_frac);
  d[crah_valve] = (coil.limited - y[crah_valve]) / p.valve_lag_s;
  d[crah_integral] = coil.integral_rate;
  const Command cdu =
      pi((f.loop_cold_K - p.loop_set_K) / p.loop_band_K, p.loop_reset_s, y[cdu_integral], p.valve_floor_frac);
  d[cdu_valve] = (cdu.limited - y[cdu_valve]) / p.valve_lag_s;
  d[cdu_integral] = cdu.integral_rate;
  for (std::size_t w = 0; w < waters.size(); ++w) {
    const WaterIndex& at = of_water[w];
    const double over_K = f.water[w].facility_cold_K - waters[w].set_K;
    const Command reject = pi(over_K / p.reject_band_K, p.reject_reset_s, y[at.reject_integral], 0.0);
    d[at.reject_drive] = (reject.limited - y[at.reject_drive]) / p.reject_lag_s;
    d[at.reject_integral] = reject.integral_rate;
    const Command chill =
        pi((over_K - p.chiller_above_K) / p.chiller_band_K, p.chiller_reset_s, y[at.chiller_integral], 0.0);
    d[at.chiller_drive] = (chill.limited - y[at.chiller_drive]) / p.chiller_lag_s;
    d[at.chiller_integral] = chill.integral_rate;
  }

  // Fans and pumps that still run speed up for those that do not.
  const double fan = f.needed_fan / std::max(y[fan_live], 0.05);
  d[crah_fan] = (held(fan, p.air_fan_floor_frac, 1.0) - y[crah_fan]) / p.fan_lag_s;
  const double pump = c.input.liquid_flow_kg_per_s / p.loop_flow_kg_per_s / std::max(y[cdu_live], 0.05);
  d[loop_pump] = (held(pump, p.loop_pump_floor_frac, 1.0) - y[loop_pump]) / p.pump_lag_s;

  d[fan_live] = live_rate(have.fan_frac, y[fan_live], p.trip_s, p.restart_s);
  d[cdu_live] = live_rate(have.cdu_frac, y[cdu_live], p.trip_s, p.restart_s);
  d[pump_live] = live_rate(have.pump_frac, y[pump_live], p.trip_s, p.restart_s);
  d[tower_live] = live_rate(have.rejection_frac, y[tower_live], p.trip_s, p.restart_s);
  d[chiller_live] = live_rate(have.chiller_frac, y[chiller_live], p.trip_s, p.chiller_restart_s);
}

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
