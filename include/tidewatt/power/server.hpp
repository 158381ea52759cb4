#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Electrical parameters of a server, with eight or another number of GPUs.
struct TIDEWATT_API ServerPowerParams {
  double host_W;                ///< CPUs, DRAM, NICs, switches, drives under training, W dc
  double host_idle_W;           ///< the same with idle GPUs, W dc
  double gpu_conversion_ratio;  ///< board watts ÷ dc bus watts of the GPU feed
  double fans_W;                ///< all fans at full speed, W dc
  double psu_rating_W;          ///< installed PSU output, W
  double psu_fixed_ratio;       ///< no-load loss ÷ rating
  double psu_linear_ratio;      ///< loss proportional to output
  double psu_square_ratio;      ///< loss proportional to output² ÷ rating
  std::int64_t n_gpu;           ///< GPUs per server
  void fields(FieldVisitor& v);
};

/// Power of one server and its parts, each from its own equation.
struct TIDEWATT_API ServerPower {
  double ac_W;          ///< drawn from the feeder
  double conversion_W;  ///< lost in the GPU feed's conversion
  double host_W;
  double fan_W;
  double psu_W;  ///< lost in the PSUs
};

/// Watts at the AC input: P_dc = P_gpu/η_c + P_host + P_fan;  P_ac = P_dc + P_psu,
/// P_psu = r0 P_rated + r1 P_dc + r2 P_dc²/P_rated.  `fan_cube`: mean of (speed ÷ full speed)³ × density ÷ rated density, 0 to 1.5. `busy`: GPUs in a job.
inline ServerPower server_power_by_cube(const ServerPowerParams& p, double gpu_W, double fan_cube, bool busy) {
  ServerPower out;
  out.conversion_W = gpu_W * (1.0 / p.gpu_conversion_ratio - 1.0);
  out.host_W = busy ? p.host_W : p.host_idle_W;
  out.fan_W = p.fans_W * fan_cube;
  const double dc_W = gpu_W + out.conversion_W + out.host_W + out.fan_W;
  const double square_per_W = p.psu_square_ratio / p.psu_rating_W;
  out.psu_W = p.psu_fixed_ratio * p.psu_rating_W + dc_W * (p.psu_linear_ratio + square_per_W * dc_W);
  out.ac_W = dc_W + out.psu_W;
  return out;
}
/// The same for fans at a constant speed. `fan_frac` = speed ÷ full speed, 0 to 1.
inline ServerPower server_power(const ServerPowerParams& p, double gpu_W, double fan_frac, bool busy) {
  return server_power_by_cube(p, gpu_W, fan_frac * fan_frac * fan_frac, busy);
}

}  // namespace TIDEWATT_NAMESPACE::power
