#pragma once
// What the two ways to advance a node share. Private to sim.
#include <array>
#include <cmath>

#include "tidewatt/sim/fleet_step.hpp"

namespace tidewatt::sim::detail {

using thermal::n_mode;
inline constexpr std::size_t max_gpu = 8;
using Lanes = std::array<double, max_gpu>;

/// Energy of one node over a step, J; summed in node order afterwards so that threads cannot change the bits.
struct NodeBooks {
  double gpu_in = 0, package_out = 0, package_stored = 0;
  double ac_in = 0, conversion = 0, host = 0, fan = 0, psu = 0;
  double reference = 0, burn = 0;
};

void book(FleetMeters& meters, std::span<const NodeBooks> books);

/// One node for the length of a step: where its numbers lie, its fan, its air.
struct NodeStep {
  const NodeType& type;
  std::size_t node, first_gpu, n_gpu;
  std::uint32_t cls;
  double step_s;
  double fan_mean_frac = 0.0;   ///< as held by the duty register
  double fan_end_frac = 0.0;
  const thermal::PackageModes* modes = nullptr;
  double inlet_K = 0.0, rear_K = 0.0;

  /// Fan speed over the step for the hottest of the mean die temperatures; first-order lag, exact.
  void set_fan(double fan_now_frac, std::span<const double> die_mean_K);
  void set_rear(double front_W, double air_J_per_m3_K);
  double air_K(const Fleet& fleet, std::size_t slot) const { return fleet.rear(slot) ? rear_K : inlet_K; }
};

/// Electrical power of one GPU and one kind: fixed part and leakage at the reference temperature, W, held between
/// smoothing's bounds.
struct KindPower {
  double fixed_W, leakage_W, low_W, high_W;
  TIDEWATT_INLINE double natural(double leak_factor) const { return std::fma(leakage_W, leak_factor, fixed_W); }
  TIDEWATT_INLINE double at(double leak_factor) const {
    const double p = natural(leak_factor);
    const double held = p < high_W ? p : high_W;
    return held > low_W ? held : low_W;
  }
};

/// Operating point with waiting, then power of every used kind. powers[slot × n_used + i].
void gated_powers(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task,
                  const NodeStep& step, std::span<const std::uint32_t> used, std::vector<KindPower>& powers);

void finish_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodeStep& step, NodeBooks& books,
                 const Lanes& heat_J);

/// Package temperatures → modal coordinates, for air at `air_K` and resistance ratio r; and back.
TIDEWATT_INLINE std::array<double, n_mode> to_modes(const thermal::PackageModes& m, double die_K, double base_K, double sink_K,
                                           double air_K, double r) {
  std::array<double, n_mode> z;
  const double a = (die_K - air_K) / r, b = (base_K - air_K) / r, c = (sink_K - air_K) / r;
  for (std::size_t k = 0; k < n_mode; ++k)
    z[k] = std::fma(m.inverse[k][0], a, std::fma(m.inverse[k][1], b, m.inverse[k][2] * c));
  return z;
}
TIDEWATT_INLINE double from_modes(const thermal::PackageModes& m, std::size_t store, const std::array<double, n_mode>& z) {
  return std::fma(m.shape[store][0], z[0], std::fma(m.shape[store][1], z[1], m.shape[store][2] * z[2]));
}

}  // namespace tidewatt::sim::detail
