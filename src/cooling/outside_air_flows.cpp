#include "outside_air_flows.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling::outside_air {
namespace {

constexpr double nothing = 1e-12;  ///< of a share: what lags leave of actuators that have closed

// Smallest temperature at which air of this vapour content is below the humidity limit.
double humidity_floor_K(const OutsideAirParams& p, const WeatherSample& air) {
  const double vapour = vapour_pressure_Pa(air.humidity_ratio, air.pressure_Pa);
  return vapour > 1.0 ? dew_point_K(vapour / p.rh_max_frac) : 0.0;
}

// Lowest temperature that evaporation may reach on the line of constant wet bulb; relative humidity falls along it.
double evaporation_floor_K(const OutsideAirParams& p, const WeatherSample& air, double wetbulb_K) {
  double lo = wetbulb_K, hi = air.drybulb_K;
  for (int i = 0; i < 40 && hi - lo > 1e-9; ++i) {
    const double T = 0.5 * (lo + hi);
    const double humidity = humidity_ratio_from_wet_bulb(T, wetbulb_K, air.pressure_Pa);
    (relative_humidity_frac(T, humidity, air.pressure_Pa) > p.rh_max_frac ? lo : hi) = T;
  }
  return hi;
}

struct Vapour {
  double added = 0.0;     // kg per kg dry air
  double J_per_kg = 0.0;  // of evaporating it, against the sensible reference
};

// h(T_in, W) + ΔW h_water(T_wb) = h(T_out, W + ΔW), for air of this humidity and wet bulb. @param taken_frac of the wet-bulb depression
Vapour evaporate(double inlet_K, double humidity, double wetbulb_K, double taken_frac) {
  const double drop_K = taken_frac * (inlet_K - wetbulb_K);
  const double feed = liquid_cp_J_per_kg_K * (wetbulb_K - zero_celsius_K);
  const double outlet_degC = inlet_K - drop_K - zero_celsius_K;
  Vapour v;
  v.added =
      moist_air_cp_J_per_kg_K(humidity) * drop_K / (vaporisation_J_per_kg + vapour_cp_J_per_kg_K * outlet_degC - feed);
  v.J_per_kg = vaporisation_J_per_kg + vapour_cp_J_per_kg_K * (reference_K - zero_celsius_K) - feed;
  return v;
}

double held(double x, double lo, double hi) { return std::min(std::max(x, lo), hi); }

// Media behind a mixing box: return air brings back what earlier passes evaporated, W_in = W_o + r/(1-r) ΔW(W_in). What
// evaporates falls as the inlet gets damper, so one root lies between none and what outdoor air would take.
Vapour evaporate_mixed(const Conditions& c, double inlet_K, double back, double taken_frac) {
  constexpr double close = 1e-13;  // kg per kg dry air
  const WeatherSample& air = c.input.outdoor;
  const double again = back / (1.0 - back);
  // Outdoor air has its wet bulb between a step's ends: by as much as that differs, so that nothing jumps where dampers shut.
  const double apart_K = c.wetbulb_K - wet_bulb_K(air.drybulb_K, air.humidity_ratio, air.pressure_Pa);
  const auto takes = [&](double added) {
    const double humidity = air.humidity_ratio + again * added;
    return evaporate(inlet_K, humidity, wet_bulb_K(inlet_K, humidity, air.pressure_Pa) + apart_K, taken_frac);
  };
  Vapour v = takes(0.0);
  const double saturated = humidity_ratio_from_relative_humidity(inlet_K, 1.0, air.pressure_Pa);
  double lo = 0.0, over_lo = v.added;
  double hi = std::min(v.added, std::max(0.0, (saturated - air.humidity_ratio) / again));
  if (!(hi > close)) return v.added = std::max(0.0, hi), v;
  v = takes(hi);
  double over_hi = v.added - hi, added = hi;
  // Almost a straight line: false position, whose kept end counts half where it is kept twice.
  for (int i = 0; i < 40 && over_hi < 0.0 && hi - lo > close; ++i) {
    added = lo + (hi - lo) * over_lo / (over_lo - over_hi);
    v = takes(added);
    const double over = v.added - added;
    if (std::abs(over) <= close) break;
    if (over > 0.0)
      lo = added, over_lo = over, over_hi *= 0.5;
    else
      hi = added, over_hi = over, over_lo *= 0.5;
  }
  v.added = added;
  return v;
}

// PI with back-calculation: the integral follows the limited output, so it does not wind up.
struct Command {
  double limited, integral_rate;
};
Command pi(double error, double gain, double reset_s, double integral, double hi) {
  const double wanted = gain * error + integral;
  const double limited = held(wanted, 0.0, hi);
  return {limited, (error + 2.0 * (limited - wanted)) / reset_s};
}

}  // namespace

Conditions conditions(const OutsideAirParams& p, const PlantInput& input) {
  const WeatherSample& air = input.outdoor;
  Conditions c{input, wet_bulb_K(air.drybulb_K, air.humidity_ratio, air.pressure_Pa), p.supply_low_K, p.supply_high_K};
  c.low_K = held(humidity_floor_K(p, air), p.supply_low_K, p.supply_high_K - 1.0);
  // Evaporation does not warm: air that is cool enough needs no floor.
  c.high_K = p.supply_high_K;
  if (air.drybulb_K > p.supply_high_K) c.high_K = std::max(c.high_K, evaporation_floor_K(p, air, c.wetbulb_K));
  return c;
}

double fan_power_W(const OutsideAirParams& p, double speed, double density_kg_per_m3) {
  const double pressure =
      p.design_pressure_Pa * speed * speed * density_kg_per_m3 / rating_density_kg_per_m3 + p.aisle_pressure_Pa;
  const double efficiency = p.fan_efficiency_frac * (1.0 - p.fan_droop_frac * (1.0 - speed) * (1.0 - speed));
  return speed * p.design_flow_m3_per_s * pressure / efficiency + p.fan_standby_W;
}

double return_share(const OutsideAirParams& p, double commanded) {
  const double half = 0.5 * p.dampers_apart_frac;
  const double mean =
      half > 0.0 ? 0.5 * (held(commanded + half, 0.0, p.mix_max_frac) + held(commanded - half, 0.0, p.mix_max_frac))
                 : held(commanded, 0.0, p.mix_max_frac);
  return mean + p.dampers_shut_frac * (p.mix_max_frac - mean);
}

TIDEWATT_CLONES
double media_effectiveness(const OutsideAirParams& p, double speed) {
  const double units = -math::log(1.0 - p.media_effectiveness_frac) * math::pow(speed, -p.media_exponent_ratio);
  return 1.0 - math::exp(-units);
}

Flows flows(const OutsideAirParams& p, const Conditions& c, std::span<const double> y) {
  const WeatherSample& air = c.input.outdoor;
  Flows f{};
  f.plenum_K = reference_K + y[plenum_J] / p.plenum_J_per_K;
  f.cold_K = reference_K + y[cold_J] / p.cold_aisle_J_per_K;
  f.hot_K = reference_K + y[hot_J] / p.hot_aisle_J_per_K;
  f.metal_K = reference_K + y[metal_J] / p.metal_J_per_K;
  const double back = return_share(p, y[mix]), fresh = 1.0 - back;
  f.back_frac = back;
  const double speed = held(y[fan_speed], 0.5 * p.fan_floor_frac, 1.0);
  const double live = c.input.capacity.fan_frac;  // fan walls that run; the others' dampers close

  Vapour vapour;
  const double wetted = y[wet] * c.input.capacity.pump_frac;
  if (wetted > nothing) {
    const double inlet_K = back > nothing ? fresh * air.drybulb_K + back * f.hot_K : air.drybulb_K;
    const double taken_frac = media_effectiveness(p, speed) * wetted;
    vapour = back > nothing ? evaporate_mixed(c, inlet_K, back, taken_frac)
                            : evaporate(inlet_K, air.humidity_ratio, c.wetbulb_K, taken_frac);
  }
  f.supply_humidity = air.humidity_ratio + vapour.added / fresh;
  const double cp = moist_air_cp_J_per_kg_K(f.supply_humidity);
  const double density = dry_air_density_kg_per_m3(f.plenum_K, f.supply_humidity, air.pressure_Pa);
  const double cold_density = dry_air_density_kg_per_m3(f.cold_K, f.supply_humidity, air.pressure_Pa);
  const double fan_kg_per_s = live * speed * p.design_flow_m3_per_s * density;
  const double servers_kg_per_s = c.input.server_flow_m3_per_s * cold_density;
  const double leak_kg_per_s = fan_kg_per_s - servers_kg_per_s;  // below 0: hot air returns to the cold aisle

  f.intake_W = fresh * fan_kg_per_s * moist_air_cp_J_per_kg_K(air.humidity_ratio) * (air.drybulb_K - reference_K);
  f.return_W = back * fan_kg_per_s * cp * (f.hot_K - reference_K);
  f.exhaust_W = fresh * fan_kg_per_s * cp * (f.hot_K - reference_K);
  f.supply_W = fan_kg_per_s * cp * (f.plenum_K - reference_K);
  f.servers_W = servers_kg_per_s * cp * (f.cold_K - reference_K);
  f.leak_W = leak_kg_per_s * cp * ((leak_kg_per_s > 0.0 ? f.cold_K : f.hot_K) - reference_K);
  f.evaporated_kg_per_s = fan_kg_per_s * vapour.added;
  f.latent_W = f.evaporated_kg_per_s * vapour.J_per_kg;
  f.fan_W = live * fan_power_W(p, speed, density * (1.0 + f.supply_humidity));
  f.metal_cold_W = p.metal_cold_W_per_K * (f.metal_K - f.cold_K);
  f.metal_hot_W = p.metal_hot_W_per_K * (f.metal_K - f.hot_K);
  f.needed_speed = (c.input.server_flow_m3_per_s * cold_density / density / p.design_flow_m3_per_s + p.leakage_frac) /
                   std::max(live, 0.05);
  return f;
}

void derivatives(const OutsideAirParams& p, const Conditions& c, std::span<const double> y, std::span<double> d) {
  const Flows f = flows(p, c, y);
  const WeatherSample& air = c.input.outdoor;
  d[plenum_J] = f.intake_W + f.return_W + f.fan_W - f.latent_W - f.supply_W;
  d[cold_J] = f.supply_W + f.metal_cold_W - f.servers_W - f.leak_W;
  d[hot_J] = f.servers_W + f.leak_W + c.input.it_heat_W + f.metal_hot_W - f.exhaust_W - f.return_W;
  d[metal_J] = -f.metal_cold_W - f.metal_hot_W;

  // Sensors hang in the cold aisle, at the servers' inlets. Errors are divided by what the actuator can do about them,
  // so that one gain serves winter and summer.
  const Command damper = pi((c.low_K - f.cold_K) / std::max(f.hot_K - air.drybulb_K, 2.0), p.mix_gain_ratio,
                            p.mix_reset_s, y[mix_integral], p.mix_max_frac);
  const double authority_K = std::max(p.media_effectiveness_frac * (air.drybulb_K - c.wetbulb_K), 1.0);
  const Command media =
      pi((f.cold_K - c.high_K) / authority_K, p.evap_gain_ratio, p.evap_reset_s, y[wet_integral], 1.0);
  d[mix] = (damper.limited - y[mix]) / p.damper_lag_s;
  d[mix_integral] = damper.integral_rate;
  d[wet] = (media.limited - y[wet]) / p.media_lag_s;
  d[wet_integral] = media.integral_rate;
  d[fan_speed] = (held(f.needed_speed, p.fan_floor_frac, 1.0) - y[fan_speed]) / p.fan_lag_s;

  d[heat_in_J] = c.input.it_heat_W;
  d[fan_J] = f.fan_W;
  d[intake_J] = f.intake_W;
  d[exhaust_J] = f.exhaust_W;
  d[latent_J] = f.latent_W;
  d[evaporated_kg] = f.evaporated_kg_per_s;
  d[supply_K_s] = f.cold_K;
  d[hot_K_s] = f.hot_K;
  d[humidity_s] = f.supply_humidity;
  d[mix_s] = f.back_frac;
  d[wet_s] = y[wet];
  d[needed_s] = f.needed_speed;
}

}  // namespace TIDEWATT_NAMESPACE::cooling::outside_air
