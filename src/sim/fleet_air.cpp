// Air around a block's packages, and the mean temperatures that follow from mean powers.
#include <algorithm>

#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim::detail {

TIDEWATT_CLONES
void set_air(const FleetState& state, const FleetTask& task, const Block& b, double step_s,
             const Lanes& die_mean_K, const std::array<double, n_lane>& front_W, Air& air) {
  const auto& type = *b.type;
  const double x = step_s / type.air.fan_lag_s;
  const double end = math::exp(-x), mean = math::mean_decay(x);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    const double* of_node = die_mean_K.x + i * b.n_gpu;
    double hottest_K = of_node[0];
    for (std::size_t s = 1; s < b.n_gpu; ++s) hottest_K = of_node[s] > hottest_K ? of_node[s] : hottest_K;
    const double target = thermal::fan_target_frac(type.air, hottest_K), now = state.fan_frac[b.node[i]];
    air.fan_end_frac[i] = target + (now - target) * end;
    const std::size_t s = fan_step(target + (now - target) * mean);
    air.fan_mean_frac[i] = fan_frac_of(s);
    air.mode_step[i] = mode_step(type, air.fan_mean_frac[i], task.flow_frac.empty() ? 1.0 : task.flow_frac[b.node[i]]);
    air.modes[i] = &type.modes[air.mode_step[i]];
    air.K_per_s[i] = task.inlet_K_per_s.empty() ? 0.0 : task.inlet_K_per_s[b.node[i]];
    air.inlet_K[i] = task.inlet_K[b.node[i]] + air.K_per_s[i] * (task.since_macro_s + 0.5 * step_s);
    air.rear_K[i] = air.inlet_K[i] + thermal::rear_preheat_K(type.air, front_W[i], air.fan_mean_frac[i], task.air_J_per_m3_K);
  }
  for (std::size_t l = 0; l < n_lane; ++l) air.air_K[l] = b.rear[l] != 0 ? air.rear_K[b.owner[l]] : air.inlet_K[b.owner[l]];
}

std::array<double, n_lane> front_W(const Fleet& fleet, const Block& b, const Lanes& heat_J, double step_s) {
  std::array<double, n_lane> out;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    double J = 0.0;
    for (std::size_t s = 0; s < b.n_gpu; ++s)
      if (!fleet.rear(s)) J += heat_J[i * b.n_gpu + s];
    out[i] = J / step_s;
  }
  return out;
}

namespace {

struct Draws {
  Lanes mean_W;
  Modes ripple_K;
};

/// One node's GPUs. Repetitions leave a mode `ripple` away from where their mean power would: its area is smaller by
/// ripple left/λ.
template <std::size_t n_fixed>
TIDEWATT_INLINE void node_means(const thermal::PackageModes& modes, const ModeStep& m, const Air& air, std::size_t node, std::size_t n_gpu,
                                const Modes& x, const Lanes& r, const Draws& draws, Lanes& die_K, Lanes& heat_J) {
  const std::size_t n = n_fixed > 0 ? n_fixed : n_gpu, first = node * n;
  double die_W = 0.0, heat_W = 0.0, die_ripple[n_mode], heat_ripple[n_mode];
  for (std::size_t j = 0; j < n_mode; ++j) {
    die_W += m.die[j] * modes.gain_K_per_J[j] * m.rest_s[j];
    heat_W += m.heat[j] * modes.gain_K_per_J[j] * m.rest_s[j];
    die_ripple[j] = -m.die[j] * m.spent_s[j];
    heat_ripple[j] = -m.heat[j] * m.spent_s[j];
  }
  const double K_per_s = air.K_per_s[node];
  const auto &d = m.die_row, &h = m.heat_row;
  for (std::size_t l = first; l < first + n; ++l) {
    double die = std::fma(die_W, draws.mean_W[l], d.slope * K_per_s / r[l]), heat = std::fma(heat_W, draws.mean_W[l], h.slope * K_per_s / r[l]);
    for (std::size_t s = 0; s < 3; ++s) {
      die = std::fma(d.store[s], x[s][l], die);
      heat = std::fma(h.store[s], x[s][l], heat);
    }
    for (std::size_t j = 0; j < n_mode; ++j) {
      die = std::fma(die_ripple[j], draws.ripple_K[j][l], die);
      heat = std::fma(heat_ripple[j], draws.ripple_K[j][l], heat);
    }
    die_K[l] = std::fma(r[l], die, air.air_K[l]);
    heat_J[l] = heat;
  }
}

TIDEWATT_CLONES
void linear_means(const Packages& before, const Air& air, const Block& b, const Draws& draws, double step_s, Lanes& die_K, Lanes& heat_J) {
  Modes x;
  above_air(before, air, b, step_s, x);
  alignas(64) double left[n_mode * n_lane];
  const std::size_t n = n_mode * b.n_node;
  for (std::size_t i = 0; i < n; ++i) left[i] = air.modes[i / n_mode]->rate_per_s[i % n_mode] * step_s;
  for (std::size_t i = 0; i < n; ++i) left[i] = decayed(left[i]);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    ModeStep m;
    set_mode_step(*air.modes[i], step_s, left + n_mode * i, m);
    if (b.n_gpu == n_usual) node_means<n_usual>(*air.modes[i], m, air, i, b.n_gpu, x, before.r, draws, die_K, heat_J);
    else node_means<0>(*air.modes[i], m, air, i, b.n_gpu, x, before.r, draws, die_K, heat_J);
  }
  fill_unused(b, die_K);
  fill_unused(b, heat_J);
}

}  // namespace

/// Twice, because fans and the rear inlet follow the temperatures that come out.
TIDEWATT_CLONES
Prediction predicted(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, double step_s, Air& air) {
  const Packages p{gather(state.die_K.data(), b), gather(state.base_K.data(), b), gather(state.sink_K.data(), b),
                   gather(fleet.resistance_ratio.data(), b), {}};
  Draws draws{gather(state.mean_W.data(), b), {}};
  if (!task.slice && task.repeats)
    for (std::size_t j = 0; j < n_mode; ++j) draws.ripple_K[j] = gather(state.ripple_K[j].data(), b);
  Prediction out{gather(state.die_mean_K.data(), b), {}};
  for (std::size_t i = 0; i < b.n_node; ++i) out.front_W[i] = state.front_W[b.node[i]];
  Lanes heat_J;
  constexpr double still_K = 0.05;
  for (int i = 0; i < 2; ++i) {
    set_air(state, task, b, step_s, out.die_K, out.front_W, air);
    const Lanes assumed_K = out.die_K;
    linear_means(p, air, b, draws, step_s, out.die_K, heat_J);
    out.front_W = front_W(fleet, b, heat_J, step_s);
    if (largest_gap(out.die_K, assumed_K, 0, b.n_used()) <= still_K) break;
  }
  if (task.dip_K != 0.0)
    for (std::size_t l = 0; l < n_lane; ++l) out.die_K[l] = std::fma(task.dip_K, p.r[l], out.die_K[l]);
  return out;
}

}  // namespace tidewatt::sim::detail
