#pragma once
// What the ways to advance the fleet share. Private to fleet. Nodes of one class are worked on in blocks whose GPUs are the
// lanes of arrays, so that the compiler makes vectors of them; lanes beyond the block's last GPU repeat its first and are
// left out of every sum.
#include <algorithm>
#include <array>
#include <cmath>

#include "fleet_step.hpp"
#include "mode_steps.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

using thermal::n_mode;
inline constexpr std::size_t n_lane = 64;
inline constexpr std::size_t n_usual = 8;      ///< GPUs of the usual nodes, which are whole cache lines
inline constexpr std::size_t few_blocks = 12;  ///< of a thread: fewer are done before another is awake
struct alignas(64) Lanes {
  double x[n_lane];
  double& operator[](std::size_t l) { return x[l]; }
  double operator[](std::size_t l) const { return x[l]; }
};
using Modes = std::array<Lanes, n_mode>;  // or stores

/// Energy of one node or block of nodes over a step, J; blocks are summed in their order afterwards so that threads cannot change the bits.
struct NodeBooks {
  double gpu_in = 0, package_out = 0, package_stored = 0;
  double ac_in = 0, conversion = 0, host = 0, fan = 0, psu = 0;
  double air = 0, liquid = 0;
  double reference = 0, burn = 0;
  NodeBooks& operator+=(const NodeBooks& o);
};
/// Into the fleet's meters, in the blocks' order.
void book(FleetMeters& meters, std::span<const NodeBooks> books);
/// Of a block's nodes together.
NodeBooks sum_of_nodes(const NodeBooks* books, std::size_t n_node);

/// Nodes of one type and one class.
struct Block {
  const NodeType* type = nullptr;
  std::uint32_t cls = 0, hall = 0;
  std::size_t n_node = 0, n_gpu = 0;        ///< nodes in the block, GPUs of each
  std::array<std::uint32_t, n_lane> index;  ///< [node of the block] in the task's range
  std::array<std::uint32_t, n_lane> node;   ///< [node of the block] in the fleet
  std::array<std::uint32_t, n_lane> gpu;    ///< [lane] in the fleet
  std::array<std::uint8_t, n_lane> owner;   ///< [lane] node of the block
  std::array<std::uint8_t, n_lane> rear;    ///< [lane] is in the preheated air
  std::size_t n_used() const { return n_node * n_gpu; }
  /// Eight nodes of eight: loops over them have lengths known beforehand.
  bool whole() const { return n_node == n_usual && n_gpu == n_usual; }
};
struct BlockList {
  std::size_t first_node;
  std::vector<std::uint32_t> node_class;  ///< that the blocks belong to
  std::vector<Block> blocks;
};
/// The task's nodes by class and type, in the fleet's order within each; kept in the task while it repeats the same work.
const std::vector<Block>& blocks_of(const Fleet& fleet, const FleetTask& task);

/// GPUs of a node are adjacent.
/// Of chips and limiters, too. @param out [lane]
template <class T>
TIDEWATT_INLINE void gather_each(const T* of_gpu, const Block& b, T* out) {
  if (b.n_gpu == n_usual) {
    for (std::size_t i = 0; i < b.n_node; ++i)
      for (std::size_t s = 0; s < n_usual; ++s) out[i * n_usual + s] = of_gpu[b.gpu[i * n_usual] + s];
    // A block has at least one node. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
    for (std::size_t l = b.n_used(); l < n_lane; ++l) out[l] = out[0];
    return;
  }
  for (std::size_t l = 0; l < n_lane; ++l) out[l] = of_gpu[b.gpu[l]];
}
TIDEWATT_INLINE Lanes gather(const double* of_gpu, const Block& b) {
  Lanes out;
  gather_each(of_gpu, b, out.x);
  return out;
}
/// @param from [lane]
template <class T>
TIDEWATT_INLINE void scatter_each(const T* from, const Block& b, T* of_gpu) {
  if (b.n_gpu == n_usual) {
    for (std::size_t i = 0; i < b.n_node; ++i)
      for (std::size_t s = 0; s < n_usual; ++s) of_gpu[b.gpu[i * n_usual] + s] = from[i * n_usual + s];
    return;
  }
  for (std::size_t l = 0; l < b.n_used(); ++l) of_gpu[b.gpu[l]] = from[l];
}
TIDEWATT_INLINE void scatter(const Lanes& from, const Block& b, double* of_gpu) { scatter_each(from.x, b, of_gpu); }
inline constexpr std::size_t line_bytes = 64;  ///< of the caches
/// Nodes of a class are apart in memory: prefetch their values while the block before them is computed.
template <class... Values>
void fetch(const Block& b, const Values*... of_gpu) {
  const auto lines_of = [](const auto* node, std::size_t n) {
    for (std::size_t k = 0; k < n; k += std::max<std::size_t>(1, line_bytes / sizeof *node))
      __builtin_prefetch(node + k);
  };
  for (std::size_t i = 0; i < b.n_node; ++i) (lines_of(of_gpu + b.gpu[i * b.n_gpu], b.n_gpu), ...);
}
/// Sum over one node's GPUs, always in the same order.
TIDEWATT_INLINE double sum_of(const Lanes& x, const Block& b, std::size_t node) {
  double sum = 0.0;
  for (std::size_t l = node * b.n_gpu; l < (node + 1) * b.n_gpu; ++l) sum += x[l];
  return sum;
}

using NodeRow = std::array<double, n_lane>;  ///< [node of the block]

/// [lane] 1 in the preheated air, 0 before it. Loops over a node's lanes that read bytes stay scalar.
TIDEWATT_INLINE Lanes rear_of(const Block& b) {
  Lanes out;
  for (std::size_t l = 0; l < n_lane; ++l) out[l] = b.rear[l];
  return out;
}

/// The same of all nodes; those of eight by halves, so that additions wait less for one another.
TIDEWATT_INLINE void node_sums(const Block& b, const Lanes& x, NodeRow& out) {
  const double* W = x.x;
  if (b.n_gpu == n_usual) {
    for (std::size_t n = 0; n < b.n_node; ++n, W += n_usual)
      out[n] = ((W[0] + W[4]) + (W[2] + W[6])) + ((W[1] + W[5]) + (W[3] + W[7]));
    return;
  }
  for (std::size_t n = 0; n < b.n_node; ++n, W += b.n_gpu) {
    double sum = 0.0;
    for (std::size_t u = 0; u < b.n_gpu; ++u) sum += W[u];
    out[n] = sum;
  }
}

/// Lanes beyond the last GPU repeat the first.
TIDEWATT_INLINE void fill_unused(const Block& b, Lanes& x) {
  for (std::size_t l = b.n_used(); l < n_lane; ++l) x[l] = x[0];
}
/// Eight side by side, so that no comparison waits for the one before it; the largest is the same in any order.
TIDEWATT_INLINE double largest_gap(const Lanes& a, const Lanes& b, std::size_t first, std::size_t n) {
  constexpr std::size_t together = 8;
  double most[together] = {};
  const double *x = a.x + first, *y = b.x + first;
  const std::size_t whole = n / together * together;
  for (std::size_t l = 0; l < whole; l += together) {
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < together; ++u) {
      const double gap = std::abs(x[l + u] - y[l + u]);
      most[u] = most[u] < gap ? gap : most[u];
    }
  }
  for (std::size_t l = whole; l < n; ++l) most[l - whole] = std::max(most[l - whole], std::abs(x[l] - y[l]));
  for (std::size_t half = together / 2; half > 0; half /= 2)
    for (std::size_t u = 0; u < half; ++u) most[u] = std::max(most[u], most[u + half]);
  return most[0];
}

/// What a step is to every fan: its length, their lag, e^{−t/τ} at its end and on average.
struct FanStep {
  double s = -1.0, lag_s = 0.0, end = 0.0, mean = 0.0;
};
/// Air around a block's packages over a step, and their modes in it.
struct Air {
  FanStep fan;                                             ///< kept from block to block
  std::array<std::size_t, n_lane> mode_step;               ///< [node of the block] row of NodeType::modes
  std::array<const thermal::PackageModes*, n_lane> modes;  ///< [node of the block] that row
  /// [node of the block]; the mean, rounded to the duty register.
  std::array<double, n_lane> fan_aim_frac, fan_mean_frac, fan_end_frac;
  std::array<double, n_lane> fan_cube;  ///< [node of the block] mean of the speed's cube × density ÷ reference density
  /// Fans in steps, [node of the block]: mean speed to which the die temperatures given belong; what their controller makes of them.
  std::array<double, n_lane> fan_used_frac;
  std::array<FanStairs::Speeds, n_lane> stairs;
  bool fans_wait = false;  ///< in a short step they keep their speed: a later pass, or the step's own passes, move them
  bool fans_waited = false;        ///< whether any did
  const Lanes* drawn_W = nullptr;  ///< mean powers at which nodes settle; nullptr: those of the last step
  /// Where a node settles at these powers; passes of one step share it.
  struct Rest {
    double of_frac;  ///< mean speed at which it was found; −1: not known yet
    double guess_s;  ///< step in which it rests by the prediction, its reading then in `stairs`; 0: by none
    FanStairs::Plant plant{};
    FanStairs::Plant now;  ///< the die in the step, when its speeds were found; at_frac 0: not yet
    bool rests;            ///< at the step where it is: speeds do not change from pass to pass
    void begin(double of_guess_s) { of_frac = -1.0, guess_s = of_guess_s, rests = false; }  ///< a step, all unknown
  };
  std::array<Rest, n_lane> rest;
  Lanes air_K;    ///< mean over the step
  Lanes K_per_s;  ///< its drift through the step, for the package
};
/// A fan that speeds up through a step works on a package like air that cools:
///   G(t)(T_sink − T_air) ≈ Ḡ (T_sink − T_air + (t − t_mid) d ln G/dt (T_sink − T_air)‾),  G ∝ fan^e,
/// and the rear row's preheat falls as 1/fan.
/// @param r resistance ratios  @param fan_before_frac [node of the block] as predicted  @param die_mean_K what the fans follow; first-order lag, exact
/// @param front_W [node of the block] → rear inlet
void set_air(const FleetState& state, const FleetTask& task, const Block& b, double step_s, const Lanes& r,
             const std::array<double, n_lane>& fan_before_frac, const Lanes& die_mean_K,
             const std::array<double, n_lane>& front_W, Air& air);

/// What of a block's air and of a step the fans' effect on its dies hangs on.
struct Blown {
  double step_s;
  const Lanes& die_mean_K;
  const NodeRow& hottest_K;  ///< of each node
  const NodeRow& front_W;
  const Lanes& r;
  const NodeRow& inlet_K;  ///< in the step's middle
  double full_preheat_K_per_W, n_front, air_J_per_m3_K;
};
/// Fans in steps: speeds of a block's nodes, and what their controllers remember. @param mean_frac [node of the block]
void climb(const FleetState& state, const FleetTask& task, const Block& b, const Blown& x, Air& air,
           NodeRow& mean_frac);
TIDEWATT_INLINE double hottest(const double* die_K, std::size_t n) {
  double out = die_K[0];
  for (std::size_t i = 1; i < n; ++i) out = die_K[i] > out ? die_K[i] : out;
  return out;
}
/// Of each node of `n` GPUs what `take` makes of all its lanes, one after another. Usual nodes side by side: their lanes are written
/// out, which makes vectors of them. @param out [node of the block]
template <class Take>
TIDEWATT_INLINE void fold_nodes(const Lanes& x, std::size_t n_node, std::size_t n, const Take& take, NodeRow& out) {
  if (n == n_usual) {
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n_node; ++i) {
      const double* l = x.x + i * n_usual;
      out[i] = take(take(take(take(take(take(take(l[0], l[1]), l[2]), l[3]), l[4]), l[5]), l[6]), l[7]);
    }
    return;
  }
  for (std::size_t i = 0; i < n_node; ++i) {
    out[i] = x[i * n];
    for (std::size_t u = 1; u < n; ++u) out[i] = take(out[i], x[i * n + u]);
  }
}
/// Whether nodes of a block have switched themselves off.
inline bool any_node_off(const FleetState& state, const Block& b) {
  bool out = false;
  for (std::size_t i = 0; i < b.n_node && !state.off.empty(); ++i) out = out || state.off[b.node[i]] != 0;
  return out;
}

/// The hottest die of each node.
TIDEWATT_INLINE void hottest_of_nodes(const Lanes& die_K, std::size_t n_node, std::size_t n, NodeRow& out) {
  fold_nodes(die_K, n_node, n, [](double most, double K) { return K > most ? K : most; }, out);
}
/// The first of a node's lanes that holds a value; the last one if none does.
TIDEWATT_INLINE std::size_t lane_of(const Lanes& x, double value, std::size_t node, std::size_t n) {
  std::size_t out = n - 1;
  for (std::size_t u = n - 1; u-- > 0;) out = x[node * n + u] == value ? u : out;
  return node * n + out;
}

/// The speeds to which the die temperatures that were guessed belong, and which nodes rest at them.
inline void use_guessed_fans(const FleetSignals& signals, const Block& b, bool slice, Air& air) {
  if (!b.type->stairs) return;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    air.fan_used_frac[i] = signals.guess_fan_frac[b.node[i]];
    air.rest[i].begin(slice ? 0.0 : signals.guess_rests_s[b.node[i]]);
    air.stairs[i].accepted_K = signals.guess_accepted_K[b.node[i]];
  }
}

/// A block's packages before a step.
struct Packages {
  Lanes die_K, base_K, sink_K, r, guess_K;
};
Packages load_packages(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const Block& b);

/// Mean die temperatures over the coming step if its GPUs continue to draw `state.mean_W`, and the heat of the front rows.
struct Prediction {
  Lanes die_K;
  std::array<double, n_lane> front_W;          ///< [node of the block]
  std::array<double, n_lane> fan_before_frac;  ///< [node of the block] what fans aimed at in the step before
};
Prediction predicted(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, double step_s,
                     Air& air);

/// Electrical power of a block's GPUs in one kind: fixed part, and leakage at the reference temperature, W, kept between
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
                  const Block& b, const Lanes& guess_K, std::span<const std::uint32_t> used,
                  std::vector<KindPower>& powers);
/// Power of the task's pauses, in which no rank waits for another's clock.
KindPower pause_powers(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b,
                       const Lanes& die_K);

/// Writes temperatures at the end of a step into the state, and stored energy into the energy balance. @param books [node of the
/// block], as below
void store_packages(FleetState& state, const Block& b, const Packages& before, const Lanes& die_K, const Lanes& base_K,
                    const Lanes& sink_K, NodeBooks* books);
void finish_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const Block& b, const Air& air,
                  double step_s, const Lanes& heat_J, NodeBooks* books);
/// Heat of each node's front row, W.
std::array<double, n_lane> front_W(const Fleet& fleet, const Block& b, const Lanes& heat_J, double step_s);

/// Over the air at the step's beginning, for a resistance ratio of 1: what modes are made of. [store][lane], and how it moves.
struct Above {
  std::array<Lanes, 3> K;
  Lanes air_K_per_s;
  const Lanes& operator[](std::size_t store) const { return K[store]; }
};
TIDEWATT_INLINE void above_air(const Packages& p, const Air& air, double step_s, Above& x) {
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double air_K = std::fma(-0.5 * step_s, air.K_per_s[l], air.air_K[l]), per_r = 1.0 / p.r[l];
    x.K[0][l] = (p.die_K[l] - air_K) * per_r;
    x.K[1][l] = (p.base_K[l] - air_K) * per_r;
    x.K[2][l] = (p.sink_K[l] - air_K) * per_r;
    x.air_K_per_s[l] = air.K_per_s[l] * per_r;
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
