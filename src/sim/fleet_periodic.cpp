#include <algorithm>

#include "fleet_node.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

/// Per-thread scratch, so that the node loop allocates nothing.
struct Scratch {
  std::array<std::vector<double>, n_mode> weight_s;
  std::vector<KindPower> powers;
  std::vector<Lanes> rise;   // [used] e^{k_T r rise}: the kind's leakage over that at the mean temperature
  std::vector<Lanes> watts;  // [used]
};

/// What a jump does to a node's packages.
struct Pass {
  Modes start, drive, end;  // drive: g^-1 of what one repetition adds to the modes
  Lanes period_J, mean_K, heat_J;
};

TIDEWATT_INLINE double largest_gap(const Lanes& a, const Lanes& b) {
  double out = 0.0;
  for (std::size_t l = 0; l < max_gpu; ++l) out = std::max(out, std::abs(a[l] - b[l]));
  return out;
}

struct Repetition {
  double total_s, decay[n_mode], sum[n_mode];  // e^{−λTM} and Σ_{i<M} e^{−λTi}
};

TIDEWATT_INLINE Repetition repetition(const thermal::PackageModes& m, double period_s, std::int64_t n) {
  Repetition r{period_s * static_cast<double>(n), {}, {}};
  for (std::size_t k = 0; k < n_mode; ++k) {
    const double x = m.rate_per_s[k] * period_s;
    const double y = m.rate_per_s[k] * r.total_s;
    r.decay[k] = math::exp(-y);
    r.sum[k] = n == 1 ? 1.0 : static_cast<double>(n) * math::mean_decay(y) / math::mean_decay(x);
  }
  return r;
}

/// Powers at the assumed mean temperatures, the map, the means that follow.
TIDEWATT_INLINE Pass run_pass(const NodeStep& step, const NodeLanes& node, const Lanes& air_K, const ClassMap& map,
                              std::int64_t repetitions, const Lanes& assumed_K, Scratch& s) {
  const auto& m = *step.modes;
  const std::size_t n_used = map.used.size();
  const Repetition rep = repetition(m, map.period_s, repetitions);
  interpolate_weights(map, m.rate_per_s, s.weight_s);
  Pass out;
  out.period_J = {};
  out.drive = {};
  Lanes factor;
  for (std::size_t l = 0; l < max_gpu; ++l) factor[l] = step.type.gpu.leakage_temperature_factor(assumed_K[l]);
  for (std::size_t i = 0; i < n_used; ++i) {
    const auto& p = s.powers[i];
    auto& watts = s.watts[i];
    const double kind_s = map.kind_s[map.used[i]];
    for (std::size_t l = 0; l < max_gpu; ++l) {
      watts[l] = p.at(l, factor[l] * s.rise[i][l]);
      out.period_J[l] += watts[l] * kind_s;
    }
    for (std::size_t j = 0; j < n_mode; ++j)
      for (std::size_t l = 0; l < max_gpu; ++l) out.drive[j][l] = std::fma(watts[l], s.weight_s[j][i], out.drive[j][l]);
  }
  out.start = to_modes(m, node, air_K);
  Lanes die_Ks{}, sink_Ks{};
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double per_rate = 1.0 / m.rate_per_s[j];
    for (std::size_t l = 0; l < max_gpu; ++l) {
      const double z0 = out.start[j][l];
      const double z1 = std::fma(rep.decay[j], z0, m.gain_K_per_J[j] * out.drive[j][l] * rep.sum[j]);
      const double area = (m.gain_K_per_J[j] * (out.period_J[l] * static_cast<double>(repetitions)) - (z1 - z0)) * per_rate;
      out.end[j][l] = z1;
      die_Ks[l] = std::fma(m.shape[0][j], area, die_Ks[l]);
      sink_Ks[l] = std::fma(m.shape[2][j], area, sink_Ks[l]);
    }
  }
  for (std::size_t l = 0; l < max_gpu; ++l) {
    out.mean_K[l] = air_K[l] + node.r[l] * die_Ks[l] / rep.total_s;
    out.heat_J[l] = m.sink_air_W_per_K * sink_Ks[l];
  }
  return out;
}

/// Mean die temperatures over the last repetition alone: where the next step begins.
TIDEWATT_INLINE Lanes last_mean_K(const NodeStep& step, const NodeLanes& node, const Lanes& air_K, const ClassMap& map,
                                  std::int64_t repetitions, const Pass& pass) {
  if (repetitions == 1) return pass.mean_K;
  const auto& m = *step.modes;
  const Repetition before = repetition(m, map.period_s, repetitions - 1);
  Lanes die_Ks{};
  for (std::size_t j = 0; j < n_mode; ++j)
    for (std::size_t l = 0; l < max_gpu; ++l) {
      const double z0 = std::fma(before.decay[j], pass.start[j][l], m.gain_K_per_J[j] * pass.drive[j][l] * before.sum[j]);
      die_Ks[l] = std::fma(m.shape[0][j] / m.rate_per_s[j], m.gain_K_per_J[j] * pass.period_J[l] - (pass.end[j][l] - z0), die_Ks[l]);
    }
  Lanes out;
  for (std::size_t l = 0; l < max_gpu; ++l) out[l] = air_K[l] + node.r[l] * die_Ks[l] / map.period_s;
  return out;
}

TIDEWATT_INLINE void book_power(const NodeStep& step, const FleetTask& task, const ClassMap& map, const Scratch& s,
                                const Pass& pass, NodeBooks& books, Lanes& gpu_J, double* kind_ac_W) {
  const double n_rep = static_cast<double>(task.repetitions);
  gpu_J = {};
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const std::uint32_t k = map.used[i];
    const double spent_s = map.kind_s[k] * n_rep;
    for (std::size_t l = 0; l < max_gpu; ++l) gpu_J[l] += s.watts[i][l] * map.kind_s[k] * n_rep;
    if (s.powers[i].low_W > 0.0) {
      for (std::size_t l = 0; l < step.n_gpu; ++l) {
        const double natural_W = s.powers[i].natural(l, step.type.gpu.leakage_temperature_factor(pass.mean_K[l]));
        books.burn += std::max(0.0, s.watts[i][l] - natural_W) * spent_s;
      }
    }
    const auto p = power::server_power(step.type.server, sum_of(s.watts[i], step), step.fan_mean_frac, task.class_busy[step.cls] != 0);
    kind_ac_W[k] = p.ac_W;
    books.ac_in += p.ac_W * spent_s;
    books.conversion += p.conversion_W * spent_s;
    books.host += p.host_W * spent_s;
    books.fan += p.fan_W * spent_s;
    books.psu += p.psu_W * spent_s;
    books.reference += task.kind_reference_W[k] * spent_s;
  }
}

TIDEWATT_CLONES
void jump_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map,
               NodeStep& step, Scratch& s, NodeBooks& books, double* kind_ac_W) {
  const NodeLanes node = gather(fleet, state, step);
  const double k_T = step.type.gpu.params().leakage_per_K;
  s.rise.resize(map.used.size());
  s.watts.resize(map.used.size());
  for (std::size_t i = 0; i < map.used.size(); ++i)
    for (std::size_t l = 0; l < max_gpu; ++l) s.rise[i][l] = math::exp(k_T * node.r[l] * map.kind_rise_K[map.used[i]]);
  // Predictor with the means that the last step leads to, then this step's own until they no longer move the power.
  Lanes mean_K = node.guess_K, air_K{};
  double front_W = state.front_W[step.node], moved_K = 1.0;
  Pass pass;
  for (int i = 0; i < 4 && moved_K > 0.02; ++i) {
    const Lanes assumed_K = mean_K;
    step.set_fan(state.fan_frac[step.node], assumed_K);
    step.set_rear(front_W, task.air_J_per_m3_K);
    air_K = air_of(fleet, step);
    pass = run_pass(step, node, air_K, map, task.repetitions, mean_K, s);
    mean_K = pass.mean_K;
    moved_K = largest_gap(mean_K, assumed_K);
    front_W = front_sum(pass.heat_J, fleet, step) / step.step_s;
  }
  const Lanes carry_K = last_mean_K(step, node, air_K, map, task.repetitions, pass);
  Lanes gpu_J;
  book_power(step, task, map, s, pass, books, gpu_J, kind_ac_W);
  books.gpu_in += sum_of(gpu_J, step);
  // Copies, because what is handed on could be written to behind the compiler's back, and then nothing is vectorised.
  const NodeLanes before = node;
  const Lanes air_then_K = air_K, heat_J = pass.heat_J;
  const Modes end_z = pass.end;
  store_package(state, step, before, air_then_K, end_z, books);
  for (std::size_t l = 0; l < step.n_gpu; ++l) {
    const std::size_t g = step.first_gpu + l;
    signals.gpu_J[g] = gpu_J[l];
    state.die_mean_K[g] = pass.mean_K[l];
    const double carry_then_K = state.die_carry_K[g];
    state.die_carry_K[g] = map.repeats ? carry_K[l] : state.die_K[g];
    state.die_rate_K_per_s[g] = map.repeats ? (state.die_carry_K[g] - carry_then_K) / step.step_s : 0.0;
    state.die_peak_K[g] = map.repeats ? pass.mean_K[l] + node.r[l] * map.peak_rise_K
                                      : std::max({node.die_K[l], pass.mean_K[l], state.die_K[g]});
  }
  signals.miss_K[step.node] = largest_gap(pass.mean_K, node.guess_K);
  finish_node(fleet, state, signals, step, books, heat_J);
}

}  // namespace

ClassPower advance_periodic(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task, std::span<const ClassMap> maps) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.timeline->kinds.size();
  const double step_s = seconds(task.timeline->period) * static_cast<double>(task.repetitions);
  std::vector<NodeBooks> books(task.n_node());
  std::vector<double> kind_ac_W(task.n_node() * n_kind, 0.0);
  parallel_ranges(task.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch scratch;
    for (std::size_t i = begin; i < end; ++i) {
      NodeStep step = make_node_step(fleet, task, i, step_s);
      const ClassMap& map = maps[step.cls];
      gated_powers(fleet, state, signals, task, step, map.used, scratch.powers);
      jump_node(fleet, state, signals, task, map, step, scratch, books[i], &kind_ac_W[i * n_kind]);
    }
  });
  book(meters, books);
  std::vector<double> class_kind_W(classes.size() * n_kind, 0.0);
  for (std::size_t n = 0; n < task.n_node(); ++n)
    for (std::size_t k = 0; k < n_kind; ++k) class_kind_W[task.node_class[n] * n_kind + k] += kind_ac_W[n * n_kind + k];
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    for (const auto& s : classes[c]) out[c].push_back(class_kind_W[c * n_kind + s.kind]);
  return out;
}

}  // namespace tidewatt::sim
