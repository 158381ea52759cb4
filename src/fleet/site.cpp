#include "site.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::fleet {

NodeType make_node_type(const power::GpuPowerParams& gpu, const dvfs::GovernorParams& governor,
                        const power::ServerPowerParams& server, const thermal::ServerAirParams& air,
                        const thermal::PackageParams& package, double cap_W, double clock_lock_Hz,
                        const std::optional<thermal::LiquidCooling>& liquid) {
  NodeType t{power::GpuModel(gpu),
             governor,
             server,
             air,
             package,
             {cap_W, clock_lock_Hz, governor.thermal_target_K},
             {},
             liquid,
             {},
             {},
             {},
             {},
             true,
             false};
  t.modes.resize(n_fan_step + 1);
  if (liquid) {
    thermal::PackageParams on_plate = package;
    on_plate.convection_exponent_ratio = 0.0;
    t.to_liquid.resize(n_fan_step + 1);
    for (std::size_t s = 0; s <= n_fan_step; ++s) {
      const double flow_kg_per_s = fan_frac_of(s) * liquid->plate.flow_ref_kg_per_s;
      on_plate.sink_air_K_per_W = thermal::cold_plate_K_per_W(liquid->plate, flow_kg_per_s);
      t.modes[s] = thermal::package_modes(on_plate, 1.0);
      t.to_liquid[s] = thermal::to_liquid_frac(liquid->plate, flow_kg_per_s);
    }
    return t;
  }
  for (std::size_t s = fan_step(air.fan_min_frac); s <= n_fan_step; ++s)
    t.modes[s] = thermal::package_modes(package, fan_frac_of(s));
  return t;
}

double liquid_flow_kg_per_s(const NodeType& type) {
  return type.liquid ? type.liquid->plate.flow_ref_kg_per_s * static_cast<double>(type.server.n_gpu) : 0.0;
}

double design_W(const NodeType& type) {
  const double gpu_W = type.gpu.params().tdp_W * static_cast<double>(type.server.n_gpu);
  return power::server_power(type.server, gpu_W, 1.0, true).ac_W;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
