#pragma once
// What the ways to advance the fleet share. Private to sim. Nodes of one class are worked on in blocks whose GPUs are the
// lanes of arrays, so that the compiler makes vectors of them; lanes beyond the block's last GPU repeat its first and are
// left out of every sum.
#include <array>
#include <cmath>

#include "tidewatt/sim/fleet_step.hpp"

namespace tidewatt::sim::detail {

using thermal::n_mode;
inline constexpr std::size_t n_lane = 32;
struct alignas(64) Lanes {
  double x[n_lane];
  double& operator[](std::size_t l) { return x[l]; }
  double operator[](std::size_t l) const { return x[l]; }
};
using Modes = std::array<Lanes, n_mode>;

/// Energy of one node over a step, J; summed in node order afterwards so that threads cannot change the bits.
struct NodeBooks {
  double gpu_in = 0, package_out = 0, package_stored = 0;
  double ac_in = 0, conversion = 0, host = 0, fan = 0, psu = 0;
  double air = 0, liquid = 0;
  double reference = 0, burn = 0;
};
void book(FleetMeters& meters, std::span<const NodeBooks> books);

/// Nodes of one type and one class.
struct Block {
  const NodeType* type = nullptr;
  std::uint32_t cls = 0;
  std::size_t n_node = 0, n_gpu = 0;        ///< nodes in the block, GPUs of each
  std::array<std::uint32_t, n_lane> index;  ///< [node of the block] in the task's range
  std::array<std::uint32_t, n_lane> node;   ///< [node of the block] in the fleet
  std::array<std::uint32_t, n_lane> gpu;    ///< [lane] in the fleet
  std::array<std::uint8_t, n_lane> owner;   ///< [lane] node of the block
  std::array<std::uint8_t, n_lane> rear;    ///< [lane] stands in the preheated air
  std::size_t n_used() const { return n_node * n_gpu; }
};
struct BlockList {
  std::size_t first_node;
  std::vector<std::uint32_t> node_class;  ///< that the blocks belong to
  std::vector<Block> blocks;
};
/// The task's nodes by class and type, in the fleet's order within each; kept in the task as long as it plays the same.
const std::vector<Block>& blocks_of(const Fleet& fleet, const FleetTask& task);

/// GPUs of a node stand together; nodes of eight, the usual ones, move as whole cache lines.
inline constexpr std::size_t n_usual = 8;
TIDEWATT_INLINE Lanes gather(const double* of_gpu, const Block& b) {
  Lanes out;
  if (b.n_gpu == n_usual) {
    for (std::size_t i = 0; i < b.n_node; ++i)
      for (std::size_t s = 0; s < n_usual; ++s) out[i * n_usual + s] = of_gpu[b.gpu[i * n_usual] + s];
    for (std::size_t l = b.n_used(); l < n_lane; ++l) out[l] = out[0];
    return out;
  }
  for (std::size_t l = 0; l < n_lane; ++l) out[l] = of_gpu[b.gpu[l]];
  return out;
}
TIDEWATT_INLINE void scatter(const Lanes& from, const Block& b, double* of_gpu) {
  if (b.n_gpu == n_usual) {
    for (std::size_t i = 0; i < b.n_node; ++i)
      for (std::size_t s = 0; s < n_usual; ++s) of_gpu[b.gpu[i * n_usual] + s] = from[i * n_usual + s];
    return;
  }
  for (std::size_t l = 0; l < b.n_used(); ++l) of_gpu[b.gpu[l]] = from[l];
}
/// Sum over one node's GPUs, always in the same order.
TIDEWATT_INLINE double sum_of(const Lanes& x, const Block& b, std::size_t node) {
  double sum = 0.0;
  for (std::size_t l = node * b.n_gpu; l < (node + 1) * b.n_gpu; ++l) sum += x[l];
  return sum;
}

TIDEWATT_INLINE double largest_gap(const Lanes& a, const Lanes& b, std::size_t first, std::size_t n) {
  double out = 0.0;
  for (std::size_t l = first; l < first + n; ++l) out = std::max(out, std::abs(a[l] - b[l]));
  return out;
}

/// Air and package modes of a block over a step.
struct Air {
  std::array<std::size_t, n_lane> mode_step;               ///< [node of the block] row of NodeType::modes
  std::array<double, n_lane> fan_mean_frac, fan_end_frac;  ///< [node of the block]; the mean as held by the duty register
  std::array<double, n_lane> inlet_K, rear_K;              ///< [node of the block], means over the step
  Lanes air_K, air_K_per_s;                                ///< mean over the step, and how it moves through it
  std::array<Lanes, n_mode> rate_per_s, gain_K_per_J;
  std::array<std::array<Lanes, n_mode>, 3> shape, inverse;  ///< as in thermal::PackageModes
  Lanes sink_air_W_per_K;
  // Whose modes the lanes hold, so that they are filled only when a fan has moved.
  std::array<const thermal::PackageModes*, n_lane> held{};
  std::size_t held_n_node = 0, held_n_gpu = 0;
};
/// @param die_mean_K what the fans follow; first-order lag, exact  @param front_W [node of the block] → rear inlet
void set_air(const FleetState& state, const FleetTask& task, const Block& b, double step_s,
             const Lanes& die_mean_K, const std::array<double, n_lane>& front_W, Air& air);

/// A block's packages before a step.
struct Packages {
  Lanes die_K, base_K, sink_K, r, guess_K;
};
Packages load_packages(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const Block& b);

/// Mean die temperatures over the coming step if its GPUs go on to draw `state.mean_W`, and what the front rows then give off.
struct Prediction {
  Lanes die_K;
  std::array<double, n_lane> front_W;  ///< [node of the block]
};
Prediction predicted(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, double step_s, Air& air);

/// Electrical power of a block's GPUs in one kind: fixed part, and leakage at the reference temperature, W, held between
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
/// Clocks with waiting, then power of every used kind: powers[i] belongs to used[i].
void gated_powers(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const Block& b, const Lanes& guess_K, std::span<const std::uint32_t> used, std::vector<KindPower>& powers);
/// Power of the task's pauses: nobody waits for anybody's clock.
KindPower pause_powers(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, const Lanes& die_K);

/// Temperatures at the end of a step into the state, stored energy into the books. @param end the modes there
void store_packages(FleetState& state, const Block& b, const Packages& before, const Air& air, const Modes& end,
                    double step_s, NodeBooks* books);
void finish_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const Block& b, const Air& air,
                  double step_s, const Lanes& heat_J, NodeBooks* books);
/// Heat of each node's front row, W.
std::array<double, n_lane> front_W(const Fleet& fleet, const Block& b, const Lanes& heat_J, double step_s);

/// Package temperatures → modal coordinates over the air at the step's beginning; and back. Air that moves by `a` per
/// second drives every mode by −a/r Σ inverse.
TIDEWATT_INLINE Modes to_modes(const Packages& p, const Air& air, double step_s) {
  Modes z;
  Lanes air_K;
  for (std::size_t l = 0; l < n_lane; ++l) air_K[l] = std::fma(-0.5 * step_s, air.air_K_per_s[l], air.air_K[l]);
  for (std::size_t k = 0; k < n_mode; ++k)
    for (std::size_t l = 0; l < n_lane; ++l)
      z[k][l] = std::fma(air.inverse[k][0][l], (p.die_K[l] - air_K[l]) / p.r[l],
                         std::fma(air.inverse[k][1][l], (p.base_K[l] - air_K[l]) / p.r[l],
                                  air.inverse[k][2][l] * ((p.sink_K[l] - air_K[l]) / p.r[l])));
  return z;
}
TIDEWATT_INLINE double air_drive(const Air& air, std::size_t k, std::size_t l, double r) {
  return -air.air_K_per_s[l] / r * (air.inverse[k][0][l] + air.inverse[k][1][l] + air.inverse[k][2][l]);
}
TIDEWATT_INLINE double from_modes(const Air& air, std::size_t store, const Modes& z, std::size_t l) {
  return std::fma(air.shape[store][0][l], z[0][l], std::fma(air.shape[store][1][l], z[1][l], air.shape[store][2][l] * z[2][l]));
}

}  // namespace tidewatt::sim::detail
