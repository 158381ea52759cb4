#pragma once
// What the ways to advance a node share. Private to sim. A node's GPUs are the lanes of its arrays, so that the compiler
// makes vectors of them; lanes beyond the node's last GPU repeat its first and are left out of every sum.
#include <array>
#include <cmath>

#include "tidewatt/sim/fleet_step.hpp"

namespace tidewatt::sim::detail {

using thermal::n_mode;
inline constexpr std::size_t max_gpu = 8;
using Lanes = std::array<double, max_gpu>;
using Modes = std::array<Lanes, n_mode>;

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
  void set_fan(double fan_now_frac, const Lanes& die_mean_K);
  void set_rear(double front_W, double air_J_per_m3_K);
  double air_K(const Fleet& fleet, std::size_t slot) const { return fleet.rear(slot) ? rear_K : inlet_K; }
};

/// The step of the `i`-th node of a task's range.
NodeStep make_node_step(const Fleet& fleet, const FleetTask& task, std::size_t i, double step_s);

/// A node's GPUs out of the fleet's arrays.
struct NodeLanes {
  Lanes die_K, base_K, sink_K, r, guess_K;
};
TIDEWATT_INLINE Lanes gather(const std::vector<double>& of_gpu, const NodeStep& step) {
  Lanes out;
  for (std::size_t l = 0; l < max_gpu; ++l) out[l] = of_gpu[step.first_gpu + (l < step.n_gpu ? l : 0)];
  return out;
}
/// Mean die temperature that the step will have if it goes on as the last one did.
TIDEWATT_INLINE Lanes guess_K(const FleetState& state, const NodeStep& step) {
  const Lanes carry = gather(state.die_carry_K, step), rate = gather(state.die_rate_K_per_s, step);
  Lanes out;
  for (std::size_t l = 0; l < max_gpu; ++l) out[l] = std::fma(0.5 * step.step_s, rate[l], carry[l]);
  return out;
}
TIDEWATT_INLINE NodeLanes gather(const Fleet& fleet, const FleetState& state, const NodeStep& step) {
  return {gather(state.die_K, step), gather(state.base_K, step), gather(state.sink_K, step),
          gather(fleet.resistance_ratio, step), guess_K(state, step)};
}
TIDEWATT_INLINE Lanes air_of(const Fleet& fleet, const NodeStep& step) {
  Lanes out;
  for (std::size_t l = 0; l < max_gpu; ++l) out[l] = l < step.n_gpu && fleet.rear(l) ? step.rear_K : step.inlet_K;
  return out;
}
/// Sum over the node's GPUs, always in the same order.
TIDEWATT_INLINE double sum_of(const Lanes& x, const NodeStep& step) {
  double sum = 0.0;
  for (std::size_t l = 0; l < step.n_gpu; ++l) sum += x[l];
  return sum;
}
TIDEWATT_INLINE double front_sum(const Lanes& x, const Fleet& fleet, const NodeStep& step) {
  double sum = 0.0;
  for (std::size_t l = 0; l < step.n_gpu; ++l)
    if (!fleet.rear(l)) sum += x[l];
  return sum;
}

/// Electrical power of a node's GPUs in one kind: fixed part and leakage at the reference temperature, W, held between
/// smoothing's bounds.
struct KindPower {
  Lanes fixed_W, leakage_W;
  double low_W, high_W;
  TIDEWATT_INLINE double natural(std::size_t l, double leak_factor) const {
    return std::fma(leakage_W[l], leak_factor, fixed_W[l]);
  }
  TIDEWATT_INLINE double at(std::size_t l, double leak_factor) const {
    const double p = natural(l, leak_factor);
    const double held = p < high_W ? p : high_W;
    return held > low_W ? held : low_W;
  }
};

/// Operating point with waiting, then power of every used kind: powers[i] belongs to used[i].
void gated_powers(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const NodeStep& step, std::span<const std::uint32_t> used, std::vector<KindPower>& powers);

/// Temperatures and energies at the end of a step into state and books. @param end the modes there
void store_package(FleetState& state, const NodeStep& step, const NodeLanes& before,
                   const Lanes& air_K, const Modes& end, NodeBooks& books);
void finish_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodeStep& step, NodeBooks& books,
                 const Lanes& heat_J);

/// Package temperatures → modal coordinates, for air at `air_K` and resistance ratio r.
TIDEWATT_INLINE Modes to_modes(const thermal::PackageModes& m, const NodeLanes& n, const Lanes& air_K) {
  Modes z;
  for (std::size_t l = 0; l < max_gpu; ++l) {
    const double per_r = 1.0 / n.r[l];
    const double a = (n.die_K[l] - air_K[l]) * per_r, b = (n.base_K[l] - air_K[l]) * per_r, c = (n.sink_K[l] - air_K[l]) * per_r;
    for (std::size_t k = 0; k < n_mode; ++k)
      z[k][l] = std::fma(m.inverse[k][0], a, std::fma(m.inverse[k][1], b, m.inverse[k][2] * c));
  }
  return z;
}
TIDEWATT_INLINE double from_modes(const thermal::PackageModes& m, std::size_t store, const Modes& z, std::size_t l) {
  return std::fma(m.shape[store][0], z[0][l], std::fma(m.shape[store][1], z[1][l], m.shape[store][2] * z[2][l]));
}

}  // namespace tidewatt::sim::detail
