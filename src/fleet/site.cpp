#include "site.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

std::array<double, 7> values_of(const thermal::PackageParams& p) {
  return {p.die_J_per_K,
          p.base_J_per_K,
          p.sink_J_per_K,
          p.die_base_K_per_W,
          p.base_sink_K_per_W,
          p.sink_air_K_per_W,
          p.convection_exponent_ratio};
}

/// [step of the sink's mass flow] modes of a package in air. Each thread keeps the last ones: cases of a study rarely differ in a package.
const std::vector<thermal::PackageModes>& modes_in_air(const thermal::PackageParams& package) {
  thread_local std::vector<thermal::PackageModes> kept;
  thread_local std::array<double, 7> of{};
  if (!kept.empty() && of == values_of(package)) return kept;
  kept.assign(n_flow_step + 1, {});
  of = values_of(package);
  for (std::size_t s = 1; s <= n_flow_step; ++s) kept[s] = thermal::package_modes(package, fan_frac_of(s));
  return kept;
}

}  // namespace

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
  if (liquid) {
    t.modes.resize(n_fan_step + 1);
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
  t.modes = modes_in_air(package);
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
