#include "fleet_jump.hpp"

#include <algorithm>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {
namespace {

/// Means that change by less in a pass are final: leakage and fans respond with at most a fifth of it.
constexpr double settled_K = 0.06;

/// Every mode of every node over the whole jump.
struct Sums {
  static constexpr std::size_t most = n_mode * n_lane;
  alignas(64) double rate_per_s[most], left[most], sum[most], pause_s[most];
};
TIDEWATT_CLONES
void sum_legs(const Course& course, double period_s, std::size_t n, Sums& s) {
  if (course.legs.size() == 1 && course.repetitions == 1.0) {
    for (std::size_t i = 0; i < n; ++i)
      s.left[i] = decayed(s.rate_per_s[i] * period_s), s.sum[i] = 1.0, s.pause_s[i] = 0.0;
    return;
  }
  alignas(64) double per_period[Sums::most];
  for (std::size_t i = 0; i < n; ++i) {
    const double x = s.rate_per_s[i] * period_s;
    per_period[i] = x / decayed(x);
    s.left[i] = s.sum[i] = s.pause_s[i] = 0.0;
  }
  for (std::size_t k = course.legs.size(); k-- > 0;) {
    const auto leg = course.legs[k];
    double* into = leg.repetitions > 0.0 ? s.sum : s.pause_s;
    const double weight = leg.repetitions > 0.0 ? leg.repetitions : leg.s;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = s.rate_per_s[i] * leg.s, of_leg = decayed(y), later = 1.0 - s.left[i];
      into[i] = std::fma(later * weight, of_leg / y, into[i]);
      s.left[i] = std::fma(later, of_leg, s.left[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) s.sum[i] *= per_period[i];
}

constexpr std::size_t n_term = n_mode * ClassMap::n_point;
/// Factors of a class's weights in a node's means: of the kinds' seconds, and of every mode's powers of t.
struct Factors {
  using Row = BlockCourse::Row;
  Row seconds;
  std::array<Row, n_term> term;
};
TIDEWATT_INLINE void set_factors(const std::array<Factors::Row, n_mode>& areas, const BlockCourse& c,
                                 double repetitions, std::size_t n, Factors& out) {
  TIDEWATT_LANE_LOOP
  for (std::size_t i = 0; i < n; ++i) {
    const double a = areas[0][i] * c.of.per_rate_s[0][i] * c.of.gain_K_per_J[0][i],
                 b = areas[1][i] * c.of.per_rate_s[1][i] * c.of.gain_K_per_J[1][i],
                 d = areas[2][i] * c.of.per_rate_s[2][i] * c.of.gain_K_per_J[2][i];
    out.seconds[i] = ((a + b) + d) * repetitions;
  }
  for (std::size_t j = 0; j < n_mode; ++j) {
    auto* term = &out.term[j * ClassMap::n_point];
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) {
      const double t = c.t[j][i], f = -areas[j][i] * c.gain[j][i] * c.of.per_rate_s[j][i];
      term[0][i] = f;
      term[1][i] = f * t;
      term[2][i] = f * t * t;
      term[3][i] = f * t * t * t;
    }
  }
}

/// Weights of the kinds' powers in a node's mean die temperature and in its heat: Σ (g seconds − g S w)/λ × weight of the mode's area.
TIDEWATT_INLINE void kind_weights(const ClassMap& map, const Factors& of_die, const Factors& of_heat, std::size_t node,
                                  double* die_weight, double* heat_weight) {
  constexpr std::size_t pad = ClassMap::pad;
  const std::size_t n = map.n_padded();
  for (std::size_t i = 0; i < n; i += pad) {
    double d[pad], h[pad];
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < pad; ++u) {
      d[u] = of_die.seconds[node] * map.used_s[i + u];
      h[u] = of_heat.seconds[node] * map.used_s[i + u];
    }
    for (std::size_t k = 0; k < n_term; ++k) {
      const double* w = map.weight_s.data() + k * n + i;
      const double die = of_die.term[k][node], heat = of_heat.term[k][node];
      TIDEWATT_LANE_LOOP
      for (std::size_t u = 0; u < pad; ++u) d[u] = std::fma(die, w[u], d[u]), h[u] = std::fma(heat, w[u], h[u]);
    }
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < pad; ++u) die_weight[i + u] = d[u], heat_weight[i + u] = h[u];
  }
}

/// The course of a block; kept where fans turn as before.
TIDEWATT_CLONES
void set_courses(const Block& b, const ClassMap& map, const Course& course, Scratch& s) {
  const std::size_t n = b.n_node;
  BlockCourse& c = s.course;
  if (std::equal(c.modes.begin(), c.modes.begin() + static_cast<std::ptrdiff_t>(n), s.air.modes.begin())) return;
  std::copy_n(s.air.modes.begin(), n, c.modes.begin());
  set_node_modes(c.modes.data(), n, c.of);
  Sums sums;
  for (std::size_t j = 0; j < n_mode; ++j) std::copy_n(c.of.rate_per_s[j].begin(), n, sums.rate_per_s + j * n);
  sum_legs(course, map.period_s, n * n_mode, sums);
  for (std::size_t j = 0; j < n_mode; ++j) std::copy_n(sums.left + j * n, n, c.step.left[j].begin());
  set_mode_steps(c.of, course.step_s, n, c.step);
  std::fill_n(c.die_pause.begin(), n, 0.0);
  std::fill_n(c.heat_pause.begin(), n, 0.0);
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double *sum = sums.sum + j * n, *pause_s = sums.pause_s + j * n;
    const double middle_per_s = map.middle_per_s[j], per_half_s = map.per_half_s[j];
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) {
      const double g = c.of.gain_K_per_J[j][i], pause_gain = g * pause_s[i];
      const double rest = (g * course.pause_s - pause_gain) * c.of.per_rate_s[j][i];
      c.t[j][i] = (c.of.rate_per_s[j][i] - middle_per_s) * per_half_s;
      c.gain[j][i] = g * sum[i];
      c.pause_gain[j][i] = pause_gain;
      c.die_pause[i] += c.step.die[j][i] * rest;
      c.heat_pause[i] += c.step.heat[j][i] * rest;
    }
  }
  Factors of_die, of_heat;
  set_factors(c.step.die, c, course.repetitions, n, of_die);
  set_factors(c.step.heat, c, course.repetitions, n, of_heat);
  for (std::size_t i = 0; i < n; ++i)
    kind_weights(map, of_die, of_heat, i, s.die_weight.data() + i * map.n_padded(),
                 s.heat_weight.data() + i * map.n_padded());
}

/// Powers of one node's GPUs at the assumed temperatures, and the means that follow.
template <std::size_t n_fixed>
TIDEWATT_INLINE void node_pass(const ClassMap& map, const Block& b, std::size_t node, const Above& x,
                               const Lanes& factor, Scratch& s, Pass& out) {
  constexpr std::size_t room = n_fixed > 0 ? n_fixed : n_lane;
  const std::size_t n = n_fixed > 0 ? n_fixed : b.n_gpu, first = node * n;
  const double* die_weight = s.die_weight.data() + node * map.n_padded();
  const double* heat_weight = s.heat_weight.data() + node * map.n_padded();
  double die[room], heat[room];
  const auto& step = s.course.step;
  const double d0 = step.die_store[0][node], d1 = step.die_store[1][node], d2 = step.die_store[2][node],
               d_slope = step.die_slope[node];
  const double h0 = step.heat_store[0][node], h1 = step.heat_store[1][node], h2 = step.heat_store[2][node],
               h_slope = step.heat_slope[node];
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) {
    const std::size_t l = first + u;
    const double moves = x.air_K_per_s[l];
    die[u] = std::fma(d0, x[0][l], std::fma(d1, x[1][l], std::fma(d2, x[2][l], d_slope * moves)));
    heat[u] = std::fma(h0, x[0][l], std::fma(h1, x[1][l], std::fma(h2, x[2][l], h_slope * moves)));
  }
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const KindPower& kind = s.powers[i];
    const Lanes& rise = s.rise[i];
    const double to_die = die_weight[i], to_heat = heat_weight[i];
    double* W = s.watts[i].x + first;
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) W[u] = kind.at(first + u, factor[first + u] * rise[first + u]);
    if (s.off[node]) std::fill_n(W, n, 0.0);
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) {
      die[u] = std::fma(to_die, W[u], die[u]);
      heat[u] = std::fma(to_heat, W[u], heat[u]);
    }
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) {
    out.mean_K[first + u] = die[u];
    out.heat_J[first + u] = heat[u];
  }
}

/// Powers at the assumed mean temperatures of work, `worked_K`, and the means that follow.
TIDEWATT_CLONES
void run_pass(const Block& b, const Packages& before, const ClassMap& map, const Course& course, Scratch& s,
              Pass& out) {
  const power::LeakageLaw leakage = b.type->gpu.leakage();
  Lanes factor;
  Above x;
  for (std::size_t l = 0; l < n_lane; ++l) factor[l] = leakage.temperature_factor(out.worked_K[l]);
  above_air(before, s.air, course.step_s, x);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    if (b.n_gpu == n_usual)
      node_pass<n_usual>(map, b, i, x, factor, s, out);
    else
      node_pass<0>(map, b, i, x, factor, s, out);
  }
  for (std::size_t i = 0; i < b.n_node && course.n_pause > 0.0; ++i) {
    const double to_die = s.course.die_pause[i], to_heat = s.course.heat_pause[i];
    TIDEWATT_LANE_LOOP
    for (std::size_t l = i * b.n_gpu; l < (i + 1) * b.n_gpu; ++l) {
      const double W = s.off[i] ? 0.0 : s.pause.at(l, factor[l] * s.pause_rise[l]);
      s.pause_W[l] = W;
      out.mean_K[l] = std::fma(to_die, W, out.mean_K[l]);
      out.heat_J[l] = std::fma(to_heat, W, out.heat_J[l]);
    }
  }
  for (std::size_t l = 0; l < n_lane; ++l) out.mean_K[l] = std::fma(before.r[l], out.mean_K[l], s.air.air_K[l]);
  fill_unused(b, out.mean_K);
  fill_unused(b, out.heat_J);
}

/// One node's packages at the jump's end, and what the powers were worth.
template <std::size_t n_fixed>
TIDEWATT_INLINE void node_land(const ClassMap& map, const Course& course, const Block& b, std::size_t node,
                               const Packages& before, const Above& x, Scratch& s, Pass& out) {
  constexpr std::size_t room = n_fixed > 0 ? n_fixed : n_lane;
  const std::size_t n = n_fixed > 0 ? n_fixed : b.n_gpu, first = node * n, n_padded = map.n_padded();
  const BlockCourse& c = s.course;
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double* w = map.weights(j, 0);
    const double t = c.t[j][node];
    double* to = s.weight_s.data() + j * n_padded;
    TIDEWATT_LANE_LOOP
    for (std::size_t i = 0; i < n_padded; ++i)
      to[i] = std::fma(t, std::fma(t, std::fma(t, w[3 * n_padded + i], w[2 * n_padded + i]), w[n_padded + i]), w[i]);
  }
  double J[room] = {}, drive[n_mode][room] = {};
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const double* W = s.watts[i].x + first;
    const double spent_s = map.used_s[i] * course.repetitions;
    const double w0 = s.weight_s[i], w1 = s.weight_s[n_padded + i], w2 = s.weight_s[2 * n_padded + i];
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) {
      J[u] = std::fma(W[u], spent_s, J[u]);
      drive[0][u] = std::fma(W[u], w0, drive[0][u]);
      drive[1][u] = std::fma(W[u], w1, drive[1][u]);
      drive[2][u] = std::fma(W[u], w2, drive[2][u]);
    }
  }
  if (s.leakage_follows && !s.off[node]) {
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double later_Ks = -c.gain[j][node] * c.of.per_rate_s[j][node], to_die = c.step.die[j][node] * later_Ks,
                   to_heat = c.step.heat[j][node] * later_Ks, weight_s = map.leakage.weight_s[j],
                   within_J = map.within.weight_J[j];
      TIDEWATT_LANE_LOOP
      for (std::size_t u = 0; u < n; ++u) {
        const std::size_t l = first + u;
        const double follows_J = std::fma(weight_s, s.mean_leak_W[l], within_J),
                     die_K = before.r[l] * to_die * follows_J;
        drive[j][u] += follows_J;
        out.mean_K[l] += die_K;
        out.worked_K[l] += die_K;
        out.heat_J[l] = std::fma(to_heat, follows_J, out.heat_J[l]);
      }
    }
  }
  if (course.n_pause > 0.0) {
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) J[u] = std::fma(s.pause_W[first + u], course.pause_s, J[u]);
  }
  const double per_step_s = 1.0 / course.step_s;
  const Lanes& paused_W = course.n_pause > 0.0 ? s.pause_W : s.mean_leak_W;  // without pauses their gain is 0
  double dz[n_mode][room];
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double i0 = c.of.inverse[j][0][node], i1 = c.of.inverse[j][1][node], i2 = c.of.inverse[j][2][node];
    const double moves = -c.of.uniform[j][node] * c.step.spent_s[j][node], left = c.step.left[j][node];
    const double gain = c.gain[j][node], pause_gain = c.pause_gain[j][node], of_drive = gain / left;
    const double to_steady = c.of.gain_K_per_J[j][node] * c.of.per_rate_s[j][node] * per_step_s;
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) {
      const std::size_t l = first + u;
      const double z0 = std::fma(i0, x[0][l], std::fma(i1, x[1][l], i2 * x[2][l]));
      const double in = std::fma(gain, drive[j][u], std::fma(pause_gain, paused_W[l], moves * x.air_K_per_s[l]));
      dz[j][u] = std::fma(-left, z0, in);
      out.ripple_K[j][l] = std::fma(of_drive, drive[j][u], -to_steady * J[u]);
    }
  }
  const Lanes* stores[3] = {&before.die_K, &before.base_K, &before.sink_K};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& shape = c.modes[node]->shape[k];
    const double s0 = shape[0], s1 = shape[1], s2 = shape[2];
    const Lanes& store = *stores[k];
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < n; ++u) {
      const std::size_t l = first + u;
      const double dx = std::fma(s0, dz[0][u], std::fma(s1, dz[1][u], s2 * dz[2][u]));
      out.end_K[k][l] = store[l] + std::fma(before.r[l], dx, s.air.K_per_s[l] * course.step_s);
    }
  }
  TIDEWATT_LANE_LOOP
  for (std::size_t u = 0; u < n; ++u) out.gpu_J[first + u] = J[u];
}

TIDEWATT_CLONES
void land(const Block& b, const Packages& before, const ClassMap& map, const Course& course, Scratch& s, Pass& out) {
  Above x;
  above_air(before, s.air, course.step_s, x);
  s.leakage_follows = std::none_of(s.powers.begin(), s.powers.end(),
                                   [](const KindPower& kind) { return kind.low_W > 0.0 || kind.high_W < 1e30; });
  if (s.leakage_follows) {
    const Lanes &watts = s.watts[0], &fixed_W = s.powers[0].fixed_W, &rise = s.rise[0];
    TIDEWATT_LANE_LOOP
    for (std::size_t l = 0; l < n_lane; ++l) s.mean_leak_W[l] = before.r[l] * (watts[l] - fixed_W[l]) / rise[l];
  } else {
    std::fill_n(s.mean_leak_W.x, n_lane, 0.0);
  }
  for (std::size_t i = 0; i < b.n_node; ++i) {
    if (b.n_gpu == n_usual)
      node_land<n_usual>(map, course, b, i, before, x, s, out);
    else
      node_land<0>(map, course, b, i, before, x, s, out);
  }
  for (auto* of :
       {&out.end_K[0], &out.end_K[1], &out.end_K[2], &out.ripple_K[0], &out.ripple_K[1], &out.ripple_K[2], &out.gpu_J})
    fill_unused(b, *of);
}

/// What GPUs will draw as their dies are guessed.
TIDEWATT_CLONES
void guess_W(const FleetState& state, const FleetTask& task, const Block& b, const Lanes& guess_K, Lanes& out) {
  out = gather(state.mean_W.data(), b);
  if (task.slice || !task.repeats) return;
  const Lanes per_K = gather(state.W_per_K.data(), b), last_K = gather(state.die_mean_K.data(), b);
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double more_W = per_K[l] * (guess_K[l] - last_K[l]);
    out[l] += std::isnan(more_W) ? 0.0 : more_W;
  }
}

/// What the pass gave every GPU in work: fans in steps rest at that, not at what it drew before its clock moved. Nodes for which that is
/// another rest are looked at again. A node whose die is on its way feels it less.
TIDEWATT_CLONES
void see_powers(const ClassMap& map, const std::vector<Lanes>& watts, const Block& b, double step_s, Lanes& drawn_W,
                Air& air) {
  constexpr double felt_at_rest_W = 0.3, felt_on_its_way_W = 2.0;
  Lanes now_W{};
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const double share = map.used_s[i] / map.period_s;
    for (std::size_t l = 0; l < n_lane; ++l) now_W[l] = std::fma(share, watts[i][l], now_W[l]);
  }
  for (std::size_t i = 0; i < b.n_node; ++i) {
    auto& rest = air.rest[i];
    const bool on_its_way = !rest.rests && !FanStairs::is_long(rest.plant.fan_lag_s, step_s);
    if (largest_gap(now_W, drawn_W, i * b.n_gpu, b.n_gpu) <= (on_its_way ? felt_on_its_way_W : felt_at_rest_W))
      continue;
    std::copy_n(now_W.x + i * b.n_gpu, b.n_gpu, drawn_W.x + i * b.n_gpu);
    rest.of_frac = -1.0;
  }
}

/// The means of a pass become those of the next one, with the pauses and without. @returns by how much they moved
TIDEWATT_CLONES
double take_means(double pause_frac, const Lanes& pause_die_K, Lanes& mean_K, Pass& pass) {
  const double moved_K = largest_gap(pass.mean_K, mean_K, 0, n_lane);  // lanes beyond the last GPU move as the first
  for (std::size_t l = 0; l < n_lane; ++l) mean_K[l] = pass.mean_K[l];
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double worked_K = (mean_K[l] - pause_frac * pause_die_K[l]) / (1.0 - pause_frac);
    pass.worked_K[l] = pause_frac > 0.0 ? worked_K : mean_K[l];
  }
  return moved_K;
}

}  // namespace

void jump(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task,
          const ClassMap& map, const Block& b, const Course& course, const Packages& before, Scratch& s, Pass& pass) {
  const double pause_frac = course.pause_s / course.step_s;
  Lanes mean_K = before.guess_K;
  pass.worked_K = before.guess_K;
  if (pause_frac > 0.0)
    for (std::size_t l = 0; l < n_lane; ++l) mean_K[l] += pause_frac * (s.pause_die_K[l] - mean_K[l]);
  std::array<double, n_lane> front, fan_before;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    front[i] = signals.guess_front_W[b.node[i]];
    fan_before[i] = signals.fan_before_frac[b.node[i]];
  }
  use_guessed_fans(signals, b, task.slice, s.air);
  Lanes drawn_W;
  // Fans that are followed in time settle nowhere.
  const bool settles = b.type->stairs && !b.type->follows_fans;
  if (settles)
    guess_W(state, task, b, before.guess_K, drawn_W);
  else
    std::fill_n(drawn_W.x, n_lane, 0.0);
  s.air.drawn_W = &drawn_W;
  s.course.modes.fill(nullptr);
  for (int i = 0; i < 4; ++i) {
    set_air(state, task, b, course.step_s, before.r, fan_before, mean_K, front, s.air);
    set_courses(b, map, course, s);
    run_pass(b, before, map, course, s, pass);
    const double moved_K = take_means(pause_frac, s.pause_die_K, mean_K, pass);
    const auto now_W = front_W(fleet, b, pass.heat_J, course.step_s);
    std::copy_n(now_W.begin(), b.n_node, front.begin());
    if (moved_K <= settled_K && (i > 0 || !task.slice)) break;
    if (settles && !task.slice) see_powers(map, s.watts, b, course.step_s, drawn_W, s.air);
  }
  s.air.drawn_W = nullptr;
  land(b, before, map, course, s, pass);
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
