// Air around a block's packages, and the mean temperatures that follow from mean powers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

namespace {

struct FanCourse {
  double mean_frac, end_frac;
};

/// First-order response of a fan to a target that moves evenly and is `target` in the middle of the step:
///   f(t) = T(t) − m τ + (f₀ − T(0) + m τ) e^{−t/τ},  m = dT/dt
/// With a constant target, a long step would end with the fan at the value of the step's middle, half a step late.
TIDEWATT_INLINE FanCourse fan_course(double now, double target, double per_s, const FanStep& step,
                                     double fan_min_frac) {
  const double half = 0.5 * per_s * step.s, behind = per_s * step.lag_s, rest = now - target + half + behind;
  const double end = target + half - behind + rest * step.end, mean = target - behind + rest * step.mean;
  const auto held = [&](double f) {
    const double least = f < fan_min_frac ? fan_min_frac : f;
    return least > 1.0 ? 1.0 : least;
  };
  return {held(mean), held(end)};
}

struct NodeAir {
  double inlet_K, inlet_K_per_s, preheat_K, preheat_K_per_s, sink_K_per_s;
};
TIDEWATT_INLINE void node_air(const Lanes& rear, std::size_t node, std::size_t n, const NodeAir& of, const Lanes& r,
                              Air& air) {
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) {
    const std::size_t l = node * n + u;
    air.air_K[l] = std::fma(rear[l], of.preheat_K, of.inlet_K);
    air.K_per_s[l] = std::fma(of.sink_K_per_s, r[l], std::fma(rear[l], of.preheat_K_per_s, of.inlet_K_per_s));
  }
}

/// A node that is off has no fans either: as without power.
void rest_fans_of_off(const FleetState& state, const Block& b, double least_frac, Air& air,
                      std::array<double, n_lane>& mean_frac) {
  for (std::size_t i = 0; i < b.n_node; ++i)
    if (state.off[b.node[i]] != 0) mean_frac[i] = air.fan_end_frac[i] = air.fan_aim_frac[i] = least_frac;
}

/// @param n, n_gpu the block's nodes, and GPUs of each
TIDEWATT_INLINE void set_air_of(const FleetState& state, const FleetTask& task, const Block& b, std::size_t n,
                                std::size_t n_gpu, double step_s, const Lanes& r, const NodeRow& fan_before_frac,
                                const Lanes& die_mean_K, const NodeRow& front_W, Air& air) {
  const auto& type = *b.type;
  const double lag_s = type.air.fan_lag_s, per_middles_s = 2.0 / (step_s + task.before_s);
  const auto n_front = static_cast<double>(thermal::n_front_row(b.n_gpu));
  if (air.fan.s != step_s || air.fan.lag_s != lag_s)
    air.fan = {step_s, lag_s, math::exp(-step_s / lag_s), math::mean_decay(step_s / lag_s)};
  // As the air warms through a macro step, the same volume takes less heat.
  const double air_per_s = task.air_J_per_m3_K_per_s.empty() ? 0.0 : task.air_J_per_m3_K_per_s[b.hall];
  const AirDrift drift = drift_in(task, step_s);
  const double air_J_per_m3_K = task.air_J_per_m3_K[b.hall] + air_per_s * drift.mean_s;
  const double full_preheat_K_per_W = thermal::rear_preheat_K(type.air, 1.0, 1.0, air_J_per_m3_K);
  const double two_per_step_s = 2.0 / step_s, air_frac_per_s = drift.share * air_per_s / air_J_per_m3_K;
  NodeRow hottest_K, fan_frac, front_before_W, front_W_per_K, inlet_K, inlet_K_per_s;
  hottest_of_nodes(die_mean_K, n, n_gpu, hottest_K);
  for (std::size_t i = 0; i < n; ++i) {
    const auto node = b.node[i];
    fan_frac[i] = state.fan_frac[node];
    front_before_W[i] = state.front_W[node];
    inlet_K_per_s[i] = task.inlet_K_per_s.empty() ? 0.0 : task.inlet_K_per_s[node];
    inlet_K[i] = task.inlet_K[node];
  }
  std::array<double, n_lane> mean_frac;
  const thermal::ServerAirParams law = type.air;  // of its own: what is written below cannot change it
  const double least_frac = law.fan_min_frac;
  const std::size_t n_on_line = type.stairs ? 0 : n;
  const FanStep fan = air.fan;
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n_on_line; ++i) {
    const double target = thermal::fan_target_frac(law, hottest_K[i]);
    const FanCourse course =
        fan_course(fan_frac[i], target, (target - fan_before_frac[i]) * per_middles_s, fan, least_frac);
    air.fan_aim_frac[i] = target;
    mean_frac[i] = course.mean_frac;
    air.fan_end_frac[i] = course.end_frac;
  }
  // Without power fans stop; natural convection is taken as the flow at their lowest speed [assumed].
  if (task.dark)
    for (auto* of : {&mean_frac, &air.fan_end_frac}) std::fill_n(of->begin(), n, least_frac);
  if (task.dark && type.stairs) std::fill_n(air.fan_aim_frac.begin(), n, least_frac);
  const bool any_off = any_node_off(state, b);
  if (any_off && !type.stairs) rest_fans_of_off(state, b, least_frac, air, mean_frac);
  for (std::size_t i = 0; i < n; ++i) {
    inlet_K[i] = std::fma(inlet_K_per_s[i], drift.mean_s, inlet_K[i]);
    inlet_K_per_s[i] *= drift.share;
  }
  if (type.stairs)
    climb(state, task, b,
          {step_s, die_mean_K, hottest_K, front_W, r, inlet_K, full_preheat_K_per_W, n_front, air_J_per_m3_K}, air,
          mean_frac);
  if (any_off && type.stairs) rest_fans_of_off(state, b, least_frac, air, mean_frac);
  const double fan_density = thermal::fan_density_ratio(air_J_per_m3_K);
  // Rows of the table of modes are apart in memory: all are fetched before the first is read.
  for (std::size_t i = 0; i < n; ++i) {
    air.fan_mean_frac[i] = fan_frac_of(fan_step(mean_frac[i]));
    air.fan_used_frac[i] = air.fan_mean_frac[i];
    const double frac = air.fan_mean_frac[i];
    air.fan_cube[i] = fan_density * (type.stairs && !task.dark ? air.stairs[i].mean_cube : frac * frac * frac);
    air.mode_step[i] =
        mode_step(type, air.fan_mean_frac[i], task.flow_frac.empty() ? 1.0 : task.flow_frac[b.node[i]], air_J_per_m3_K);
    air.modes[i] = &type.modes[air.mode_step[i]];
    const auto* row = reinterpret_cast<const char*>(air.modes[i]);
    for (std::size_t at = 0; at < sizeof(thermal::PackageModes); at += line_bytes) __builtin_prefetch(row + at);
  }
  for (std::size_t i = 0; i < n; ++i) front_W_per_K[i] = n_front * air.modes[i]->sink_air_W_per_K;
  const double exponent = type.liquid ? 0.0 : -type.package.convection_exponent_ratio,
               repeats = task.repeats ? 1.0 : 0.0;
  std::array<double, n_lane> preheat_K, by_preheat, by_sink;
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double per_fan = 1.0 / air.fan_mean_frac[i], preheat = full_preheat_K_per_W * front_W[i] * per_fan;
    // From the mean to the end rather than from end to end: where fans swing in faster than the step, packages remember its end.
    // In a constant state dies and sinks follow it within the step, and the product of both would be wrong.
    const double rate_per_s = repeats * two_per_step_s * (air.fan_end_frac[i] - mean_frac[i]) * per_fan;
    // What the front row gives off, too, moves through the step as it did from the step before.
    const double moved = (front_W[i] - front_before_W[i]) / (front_W[i] > 0.0 ? front_W[i] : 1.0);
    const double front_per_s = front_W[i] > 0.0 ? repeats * moved * per_middles_s : 0.0;
    preheat_K[i] = preheat;
    by_preheat[i] = (front_per_s - rate_per_s - air_frac_per_s) * preheat;
    by_sink[i] = exponent * (rate_per_s + air_frac_per_s) * (front_W[i] / front_W_per_K[i]);
  }
  const Lanes rear = rear_of(b);
  for (std::size_t i = 0; i < n; ++i) {
    const NodeAir node{inlet_K[i], inlet_K_per_s[i], preheat_K[i], by_preheat[i], by_sink[i]};
    node_air(rear, i, n_gpu, node, r, air);
  }
  fill_unused(b, air.air_K);
  fill_unused(b, air.K_per_s);
}

}  // namespace

TIDEWATT_CLONES
void set_air(const FleetState& state, const FleetTask& task, const Block& b, double step_s, const Lanes& r,
             const NodeRow& fan_before_frac, const Lanes& die_mean_K, const NodeRow& front_W, Air& air) {
  if (b.whole())
    set_air_of(state, task, b, n_usual, n_usual, step_s, r, fan_before_frac, die_mean_K, front_W, air);
  else
    set_air_of(state, task, b, b.n_node, b.n_gpu, step_s, r, fan_before_frac, die_mean_K, front_W, air);
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
  Lanes mean_W;  ///< as the dies are expected
  Modes ripple_K;
};

/// Weights of a block's nodes for what their GPUs draw, and for the ripple: repetitions leave a mode `ripple` away from where their mean
/// power would, and its area is smaller by ripple left/λ.
struct MeanWeights {
  using Row = std::array<double, n_lane>;  ///< [node]
  ModeSteps<n_lane> step;
  Row die_per_W, heat_per_W;
  std::array<Row, n_mode> die_ripple, heat_ripple;
};
TIDEWATT_INLINE void set_weights(const Air& air, std::size_t n, double step_s, MeanWeights& out) {
  NodeModes<n_lane> of;
  set_node_modes(air.modes.data(), n, of);
  auto& m = out.step;
  for (std::size_t j = 0; j < n_mode; ++j) {
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) m.left[j][i] = decayed(of.rate_per_s[j][i] * step_s);
  }
  set_mode_steps(of, step_s, n, m);
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double a = of.gain_K_per_J[0][i] * m.rest_s[0][i], b = of.gain_K_per_J[1][i] * m.rest_s[1][i],
                 c = of.gain_K_per_J[2][i] * m.rest_s[2][i];
    out.die_per_W[i] = (m.die[0][i] * a + m.die[1][i] * b) + m.die[2][i] * c;
    out.heat_per_W[i] = (m.heat[0][i] * a + m.heat[1][i] * b) + m.heat[2][i] * c;
  }
  for (std::size_t j = 0; j < n_mode; ++j) {
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) {
      out.die_ripple[j][i] = -m.die[j][i] * m.spent_s[j][i];
      out.heat_ripple[j][i] = -m.heat[j][i] * m.spent_s[j][i];
    }
  }
}

template <std::size_t n_fixed>
TIDEWATT_INLINE void node_means(const MeanWeights& w, const Air& air, std::size_t i, std::size_t n_gpu, const Above& x,
                                const Lanes& r, const Draws& draws, Lanes& die_K, Lanes& heat_J) {
  const std::size_t n = n_fixed > 0 ? n_fixed : n_gpu, first = i * n;
  const auto &d = w.step.die_store, &h = w.step.heat_store;
  const double die_W = w.die_per_W[i], heat_W = w.heat_per_W[i], d_slope = w.step.die_slope[i],
               h_slope = w.step.heat_slope[i];
  const double d0 = d[0][i], d1 = d[1][i], d2 = d[2][i], h0 = h[0][i], h1 = h[1][i], h2 = h[2][i];
  const double d_y0 = w.die_ripple[0][i], d_y1 = w.die_ripple[1][i], d_y2 = w.die_ripple[2][i];
  const double h_y0 = w.heat_ripple[0][i], h_y1 = w.heat_ripple[1][i], h_y2 = w.heat_ripple[2][i];
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) {
    const std::size_t l = first + u;
    // Written out: a loop inside would keep the compiler from making vectors of this one.
    const double W = draws.mean_W[l], moves = x.air_K_per_s[l];
    const double x0 = x.K[0][l], x1 = x.K[1][l], x2 = x.K[2][l];
    const double y0 = draws.ripple_K[0][l], y1 = draws.ripple_K[1][l], y2 = draws.ripple_K[2][l];
    double die = std::fma(die_W, W, d_slope * moves), heat = std::fma(heat_W, W, h_slope * moves);
    die = std::fma(d0, x0, std::fma(d1, x1, std::fma(d2, x2, die)));
    heat = std::fma(h0, x0, std::fma(h1, x1, std::fma(h2, x2, heat)));
    die_K[l] = std::fma(r[l], std::fma(d_y0, y0, std::fma(d_y1, y1, std::fma(d_y2, y2, die))), air.air_K[l]);
    heat_J[l] = std::fma(h_y0, y0, std::fma(h_y1, y1, std::fma(h_y2, y2, heat)));
  }
}

TIDEWATT_CLONES
void linear_means(const Packages& before, const Air& air, const Block& b, const Draws& draws, double step_s,
                  Lanes& die_K, Lanes& heat_J) {
  Above x;
  above_air(before, air, step_s, x);
  MeanWeights weights;
  set_weights(air, b.n_node, step_s, weights);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    if (b.n_gpu == n_usual)
      node_means<n_usual>(weights, air, i, b.n_gpu, x, before.r, draws, die_K, heat_J);
    else
      node_means<0>(weights, air, i, b.n_gpu, x, before.r, draws, die_K, heat_J);
  }
  fill_unused(b, die_K);
  fill_unused(b, heat_J);
}

/// Two passes that approach a fixed point by the same share each, one beyond the other where fans answer: all further ones at once
/// (Aitken). Fans in steps that turned between both are what moved their dies. @param used_frac [node of the block] in the first pass
/// @param before_K assumed in the second one  @param moved_K by the first  @param die_K of the second; to where they lead
TIDEWATT_INLINE void extrapolate(const Block& b, const Air& air, const std::array<double, n_lane>& used_frac,
                                 const Lanes& before_K, const Lanes& moved_K, Lanes& die_K) {
  constexpr double least_ratio = -0.7, most_ratio = 0.3, nothing_K = 1e-6;
  Lanes may;
  std::fill_n(may.x, n_lane, 1.0);
  for (std::size_t i = 0; i < b.n_node && b.type->stairs; ++i)
    if (air.fan_used_frac[i] != used_frac[i]) std::fill_n(may.x + i * b.n_gpu, b.n_gpu, 0.0);
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double moves_K = die_K[l] - before_K[l];
    const double ratio = std::abs(moved_K[l]) > nothing_K ? may[l] * moves_K / moved_K[l] : 0.0;
    const double held = ratio < least_ratio ? least_ratio : ratio > most_ratio ? most_ratio : ratio;
    die_K[l] = std::fma(held / (1.0 - held), moves_K, die_K[l]);
  }
}

}  // namespace

/// Two passes, because fans and the rear inlet depend on the resulting temperatures. A constant state takes its own passes afterwards.
TIDEWATT_CLONES
Prediction predicted(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, double step_s,
                     Air& air) {
  const Packages p{gather(state.die_K.data(), b),
                   gather(state.base_K.data(), b),
                   gather(state.sink_K.data(), b),
                   gather(fleet.resistance_ratio.data(), b),
                   {}};
  const Lanes last_W = gather(state.mean_W.data(), b), last_K = gather(state.die_mean_K.data(), b);
  Draws draws{last_W, {}};
  Lanes W_per_K{};
  if (!task.slice && task.repeats) {
    for (std::size_t j = 0; j < n_mode; ++j) draws.ripple_K[j] = gather(state.ripple_K[j].data(), b);
    W_per_K = gather(state.W_per_K.data(), b);
    for (std::size_t l = 0; l < n_lane; ++l) W_per_K[l] = std::isnan(W_per_K[l]) ? 0.0 : W_per_K[l];
  }
  Prediction out{last_K, {}, {}};
  for (std::size_t i = 0; i < b.n_node; ++i) {
    out.front_W[i] = state.front_W[b.node[i]];
    air.fan_used_frac[i] = fan_frac_of(fan_step(state.fan_frac[b.node[i]]));
    air.rest[i].begin(0.0);
    out.fan_before_frac[i] = thermal::fan_target_frac(b.type->air, hottest(out.die_K.x + i * b.n_gpu, b.n_gpu));
  }
  Lanes heat_J, moved_K;
  std::array<double, n_lane> used_frac{};
  constexpr double still_K = 0.05;
  const int n_pass = task.repeats ? 2 : 1;
  for (int i = 0; i < n_pass; ++i) {
    air.fans_wait = i + 1 < n_pass || !task.repeats, air.fans_waited = false;
    set_air(state, task, b, step_s, p.r, out.fan_before_frac, out.die_K, out.front_W, air);
    const Lanes assumed_K = out.die_K;
    for (std::size_t l = 0; l < n_lane; ++l)
      draws.mean_W[l] = std::fma(W_per_K[l], assumed_K[l] - last_K[l], last_W[l]);
    linear_means(p, air, b, draws, step_s, out.die_K, heat_J);
    out.front_W = front_W(fleet, b, heat_J, step_s);
    if (i > 0) {
      extrapolate(b, air, used_frac, assumed_K, moved_K, out.die_K);
      break;
    }
    if (!air.fans_waited && largest_gap(out.die_K, assumed_K, 0, b.n_used()) <= still_K) break;
    for (std::size_t l = 0; l < n_lane; ++l) moved_K[l] = out.die_K[l] - assumed_K[l];
    used_frac = air.fan_used_frac;
  }
  air.fans_wait = false;
  if (task.dip_K != 0.0)
    for (std::size_t l = 0; l < n_lane; ++l) out.die_K[l] = std::fma(task.dip_K, p.r[l], out.die_K[l]);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
