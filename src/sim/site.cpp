#include "tidewatt/sim/site.hpp"

#include <algorithm>
#include <cmath>

namespace tidewatt::sim {

std::size_t fan_step(double fan_frac) {
  return static_cast<std::size_t>(std::lround(fan_frac * static_cast<double>(n_fan_step)));
}

NodeType make_node_type(const power::GpuPowerParams& gpu, const dvfs::GovernorParams& governor,
                        const power::ServerPowerParams& server, const thermal::ServerAirParams& air,
                        const thermal::PackageParams& package, double cap_W, double clock_lock_Hz) {
  NodeType t{power::GpuModel(gpu), governor, server, air, package, cap_W, clock_lock_Hz, {}};
  t.modes.resize(n_fan_step + 1);
  for (std::size_t s = fan_step(air.fan_min_frac); s <= n_fan_step; ++s)
    t.modes[s] = thermal::package_modes(package, fan_frac_of(s));
  return t;
}

double design_W(const NodeType& type) {
  const double gpu_W = type.gpu.params().tdp_W * static_cast<double>(type.server.n_gpu);
  return power::server_power(type.server, gpu_W, 1.0, true).ac_W;
}

}  // namespace tidewatt::sim
