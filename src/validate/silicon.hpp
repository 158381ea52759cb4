#pragma once
// A GPU type and a server of the catalog, and the steady state of one node: what the P, T and D4 rows share.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fan_stairs.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/thermal/hbm_package.hpp"
#include "tidewatt/thermal/server_air.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {

inline constexpr double zero_degC_K = 273.15;
inline constexpr double air_J_per_m3_K = thermal::reference_air_J_per_m3_K;

struct GpuCase {
  power::GpuPowerParams power;
  dvfs::GovernorParams governor;
  power::SiliconSpreadParams spread;
  thermal::PackageParams package;
  workload::ComputeParams compute;
};
struct ServerCase {
  power::ServerPowerParams power;
  thermal::ServerAirParams air;
  std::optional<fleet::FanStairs>
      stairs;  ///< fans in their controller's steps, as a run has them; none: the air's line
};
GpuCase gpu_case(const std::string& name);  ///< @throws InputError if the catalog's entry is wrong
ServerCase server_case(const std::string& name);
/// Electrical design peak of its board, W; infinite where none is known.
double edp_peak_W(const GpuCase& gpu);

/// Work of a timeline's kind as the governor sees it.
dvfs::PhaseMix mix_of(const workload::PhaseKind& kind);
/// Mean work of one class over its repetition.
dvfs::PhaseMix mean_mix(const workload::Timeline& timeline, std::size_t cls);

/// Board watts of a GPU at a die temperature.
using BoardPower = std::function<double(double die_K)>;
BoardPower power_of(const GpuCase& gpu, const power::GpuModel& model, const dvfs::PhaseMix& mix, double reference_Hz,
                    double clock_Hz);

/// One node at rest: eight dies in series air, fans at the speed that the hottest asks for, or at the mean of the two steps between
/// which they cycle, come from below.
struct SteadyNode {
  std::vector<double> die_K, gpu_W;  ///< [gpu], the rear half behind the front half
  double fan_frac = 0.0;
  double gpu_sum_W() const;
};
/// @throws SolverError if leakage runs away
SteadyNode steady_node(const GpuCase& gpu, const ServerCase& server, const BoardPower& watts, double inlet_K);

}  // namespace TIDEWATT_NAMESPACE::validate
