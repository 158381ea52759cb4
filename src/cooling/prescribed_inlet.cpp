#include "tidewatt/cooling/prescribed_inlet.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

void check_plant_input(const PlantInput& input, Tick t0, Tick t1) {
  const auto bad = [](double x, double lo, double hi) { return !(x >= lo && x <= hi); };
  const WeatherSample& air = input.outdoor;
  if (t1 <= t0 || bad(input.it_heat_W, -1e11, 1e11) || bad(input.server_flow_m3_per_s, 1e-9, 1e8) ||
      bad(air.drybulb_K, 180.0, 345.0) || bad(air.humidity_ratio, 0.0, 0.2) || bad(air.pressure_Pa, 2e4, 1.3e5) ||
      bad(input.liquid_heat_W, -1e11, 1e11) || bad(input.liquid_flow_kg_per_s, 0.0, 1e8))
    throw InputError(fmt::format(
        "cooling plant, {:.6f} to {:.6f} s: heat {} W, flow {} m3/s, outdoor {} K, humidity ratio {}, {} Pa "
        "are not a possible input (liquid: {} W, {} kg/s)",
        seconds(t0), seconds(t1), input.it_heat_W, input.server_flow_m3_per_s, air.drybulb_K, air.humidity_ratio,
        air.pressure_Pa, input.liquid_heat_W, input.liquid_flow_kg_per_s));
  const PlantCapacity& have = input.capacity;
  for (const double x : {have.fan_frac, have.cdu_frac, have.pump_frac, have.rejection_frac, have.chiller_frac})
    if (bad(x, 0.0, 1.0))
      throw InputError(fmt::format("cooling plant, {:.6f} s: a capacity of {} is outside 0 to 1", seconds(t0), x));
}

void PrescribedInletParams::fields(FieldVisitor& v) {
  v.number("min_degC", min_K, {-20, 60}, "coolest supply air of the day");
  v.number("max_degC", max_K, {-20, 60}, "warmest supply air of the day");
  v.number("low_h", low_s, {0, 24}, "local standard time of the coolest moment");
  v.number("high_h", high_s, {0, 24}, "local standard time of the warmest moment");
}

PrescribedInlet::PrescribedInlet(const PrescribedInletParams& params, Tick local_at_start_ns)
    : params_(params), shape_(params.low_s, params.high_s), local_at_start_ns_(local_at_start_ns) {
  if (!(params.max_K >= params.min_K)) throw InputError("prescribed inlet: max_degC is below min_degC");
}

PlantStep PrescribedInlet::advance(std::span<double>, const PlantInput& input, Tick t0, Tick t1,
                                   PlantWorkspace&) const {
  check_plant_input(input, t0, t1);
  const double swing_K = params_.max_K - params_.min_K;
  const WeatherSample& air = input.outdoor;
  PlantStep step;
  step.supply_mean_K = params_.min_K + swing_K * shape_.mean(t0 + local_at_start_ns_, t1 + local_at_start_ns_);
  step.supply_end_K = params_.min_K + swing_K * shape_.at(t1 + local_at_start_ns_);
  const double dry_kg_per_s =
      input.server_flow_m3_per_s * dry_air_density_kg_per_m3(step.supply_mean_K, air.humidity_ratio, air.pressure_Pa);
  const double cp = moist_air_cp_J_per_kg_K(air.humidity_ratio);
  step.hot_aisle_mean_K = step.supply_mean_K + input.it_heat_W / (dry_kg_per_s * cp);
  step.supply_rh_frac = relative_humidity_frac(step.supply_mean_K, air.humidity_ratio, air.pressure_Pa);
  step.capacity_margin_frac = 1.0;
  if (input.liquid_flow_kg_per_s > 0.0) {  // the liquid comes at the same temperature
    step.liquid_supply_mean_K = step.supply_mean_K;
    step.liquid_supply_end_K = step.supply_end_K;
    step.liquid_flow_mean_kg_per_s = input.liquid_flow_kg_per_s;
  }
  step.heat_in_J = (input.it_heat_W + input.liquid_heat_W) * seconds(t1 - t0);
  step.heat_out_J = step.heat_in_J;
  return step;
}

}  // namespace TIDEWATT_NAMESPACE::cooling
