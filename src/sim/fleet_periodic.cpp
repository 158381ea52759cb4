#include <algorithm>

#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

/// Per-thread scratch, so that the loop over blocks allocates nothing.
struct Scratch {
  std::vector<KindPower> powers;
  std::vector<Lanes> rise;   // [used] e^{k_T r rise}: the kind's leakage over that at the mean temperature
  std::vector<Lanes> watts;  // [used]
  Air air;
};

/// What a jump does to a block's packages.
struct Pass {
  Modes start, drive, end;  // drive: g^-1 of what one repetition adds to the modes
  Lanes period_J, mean_K, heat_J;
};

/// mean_decay() without its branch, so that loops over it become vectors; the same bits.
TIDEWATT_INLINE double mean_decay(double x, double decay) {
  double p = 1.0 / 362880.0;
  p = std::fma(p, -x, 1.0 / 40320.0);
  p = std::fma(p, -x, 1.0 / 5040.0);
  p = std::fma(p, -x, 1.0 / 720.0);
  p = std::fma(p, -x, 1.0 / 120.0);
  p = std::fma(p, -x, 1.0 / 24.0);
  p = std::fma(p, -x, 1.0 / 6.0);
  p = std::fma(p, -x, 0.5);
  p = std::fma(p, -x, 1.0);
  const double q = (1.0 - decay) / x;
  return x > 0.05 ? q : p;
}

/// e^{−λTM} and Σ_{i<M} e^{−λTi} of one mode.
TIDEWATT_INLINE void repetition(const Lanes& rate_per_s, double period_s, std::int64_t n, Lanes& decay, Lanes& sum) {
  const double total_s = period_s * static_cast<double>(n), count = static_cast<double>(n);
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double x = rate_per_s[l] * period_s, y = rate_per_s[l] * total_s;
    decay[l] = math::exp(-y);
    sum[l] = n == 1 ? 1.0 : count * mean_decay(y, decay[l]) / mean_decay(x, math::exp(-x));
  }
}

/// Shares of the map's four tabulated rates at every lane's rate: barycentric interpolation.
struct Shares {
  Lanes q[ClassMap::n_point];
};
TIDEWATT_INLINE Shares shares(const ClassMap& map, std::size_t mode, const Lanes& rate_per_s) {
  Shares s;
  for (std::size_t l = 0; l < n_lane; ++l) {
    double sum = 0.0, w[ClassMap::n_point];
    for (std::size_t q = 0; q < ClassMap::n_point; ++q) {
      // A rate on a point would divide by zero; next to it, the interpolant is the same to rounding.
      const double distance = rate_per_s[l] - map.point_per_s[mode][q];
      w[q] = map.barycentric[mode][q] / (distance != 0.0 ? distance : 1e-300);
      sum += w[q];
    }
    for (std::size_t q = 0; q < ClassMap::n_point; ++q) s.q[q][l] = w[q] / sum;
  }
  return s;
}

/// Powers at the assumed mean temperatures, the map, the means that follow.
TIDEWATT_CLONES
void run_pass(const Block& b, const Packages& before, const ClassMap& map, std::int64_t repetitions, double step_s,
              const Lanes& assumed_K, Scratch& s, Pass& out) {
  const Air& air = s.air;
  const std::size_t n_used = map.used.size();
  const auto& p = b.type->gpu.params();
  const double k_T = p.leakage_per_K, ref_K = p.leakage_ref_K;
  Lanes factor, period_J{};
  for (std::size_t l = 0; l < n_lane; ++l) factor[l] = math::exp(k_T * (assumed_K[l] - ref_K));
  for (std::size_t i = 0; i < n_used; ++i) {
    const KindPower& kind = s.powers[i];
    const Lanes& rise = s.rise[i];
    Lanes& watts = s.watts[i];
    const double kind_s = map.kind_s[map.used[i]];
    for (std::size_t l = 0; l < n_lane; ++l) {
      watts[l] = kind.at(l, factor[l] * rise[l]);
      period_J[l] += watts[l] * kind_s;
    }
  }
  out.period_J = period_J;
  out.start = to_modes(before, air, step_s);
  const double count = static_cast<double>(repetitions);
  Lanes die_Ks{}, sink_Ks{};
  for (std::size_t j = 0; j < n_mode; ++j) {
    const Shares share = shares(map, j, air.rate_per_s[j]);
    Lanes drive{}, decay, sum;
    for (std::size_t i = 0; i < n_used; ++i) {
      const auto& w = map.weight_s[map.used[i]][j];
      const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
      const Lanes& watts = s.watts[i];
      for (std::size_t l = 0; l < n_lane; ++l) {
        const double weight_s = std::fma(share.q[0][l], w0, std::fma(share.q[1][l], w1, std::fma(share.q[2][l], w2, share.q[3][l] * w3)));
        drive[l] = std::fma(watts[l], weight_s, drive[l]);
      }
    }
    repetition(air.rate_per_s[j], map.period_s, repetitions, decay, sum);
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double z0 = out.start[j][l], gain = air.gain_K_per_J[j][l];
      const double moved = air_drive(air, j, l, before.r[l]);
      const double in = gain * drive[l] * sum[l] + moved * ((1.0 - decay[l]) / air.rate_per_s[j][l]);
      const double z1 = std::fma(decay[l], z0, in);
      const double area = (gain * (period_J[l] * count) + moved * step_s - (z1 - z0)) / air.rate_per_s[j][l];
      out.end[j][l] = z1;
      die_Ks[l] = std::fma(air.shape[0][j][l], area, die_Ks[l]);
      sink_Ks[l] = std::fma(air.shape[2][j][l], area, sink_Ks[l]);
    }
    out.drive[j] = drive;
  }
  const double per_total_s = 1.0 / (map.period_s * count);
  for (std::size_t l = 0; l < n_lane; ++l) {
    out.mean_K[l] = air.air_K[l] + before.r[l] * die_Ks[l] * per_total_s;
    out.heat_J[l] = air.sink_air_W_per_K[l] * sink_Ks[l];
  }
}

/// Mean die temperatures over the last repetition alone: where the next step begins.
TIDEWATT_CLONES
Lanes last_mean_K(const Packages& before, const ClassMap& map, std::int64_t repetitions, double step_s, const Air& air,
                  const Pass& pass) {
  if (repetitions == 1) return pass.mean_K;
  Lanes die_Ks{}, decay, sum, out;
  for (std::size_t j = 0; j < n_mode; ++j) {
    repetition(air.rate_per_s[j], map.period_s, repetitions - 1, decay, sum);
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double gain = air.gain_K_per_J[j][l];
      const double moved = air_drive(air, j, l, before.r[l]);
      const double in = gain * pass.drive[j][l] * sum[l] + moved * ((1.0 - decay[l]) / air.rate_per_s[j][l]);
      const double z0 = std::fma(decay[l], pass.start[j][l], in);
      const double area = gain * pass.period_J[l] + moved * map.period_s - (pass.end[j][l] - z0);
      die_Ks[l] = std::fma(air.shape[0][j][l] / air.rate_per_s[j][l], area, die_Ks[l]);
    }
  }
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double air_K = std::fma(0.5 * (step_s - map.period_s), air.air_K_per_s[l], air.air_K[l]);
    out[l] = air_K + before.r[l] * die_Ks[l] / map.period_s;
  }
  return out;
}

double largest_gap(const Lanes& a, const Lanes& b, std::size_t first, std::size_t n) {
  double out = 0.0;
  for (std::size_t l = first; l < first + n; ++l) out = std::max(out, std::abs(a[l] - b[l]));
  return out;
}

/// Energies of every kind at every node of the block, through the servers to their AC inputs.
void book_power(const Block& b, const FleetTask& task, const ClassMap& map, const Scratch& s, const Pass& pass,
                NodeBooks* books, Lanes& gpu_J, double* kind_ac_W, std::size_t n_kind) {
  const double n_rep = static_cast<double>(task.repetitions);
  const bool busy = task.class_busy[b.cls] != 0;
  gpu_J = {};
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const std::uint32_t k = map.used[i];
    const double spent_s = map.kind_s[k] * n_rep;
    for (std::size_t l = 0; l < n_lane; ++l) gpu_J[l] += s.watts[i][l] * spent_s;
    for (std::size_t n = 0; n < b.n_node; ++n) {
      NodeBooks& book = books[b.index[n]];
      if (s.powers[i].low_W > 0.0)
        for (std::size_t l = n * b.n_gpu; l < (n + 1) * b.n_gpu; ++l) {
          const double natural_W = s.powers[i].natural(l, b.type->gpu.leakage_temperature_factor(pass.mean_K[l]));
          book.burn += std::max(0.0, s.watts[i][l] - natural_W) * spent_s;
        }
      const auto p = power::server_power(b.type->server, sum_of(s.watts[i], b, n), s.air.fan_mean_frac[n], busy);
      kind_ac_W[b.index[n] * n_kind + k] = p.ac_W;
      book.ac_in += p.ac_W * spent_s;
      book.conversion += p.conversion_W * spent_s;
      book.host += p.host_W * spent_s;
      book.fan += p.fan_W * spent_s;
      book.psu += p.psu_W * spent_s;
      book.reference += task.kind_reference_W[k] * spent_s;
    }
  }
}

/// Predictor with the means that the last step leads to, then this step's own until they no longer move the power.
void jump(const Fleet& fleet, const FleetState& state, const FleetTask& task, const ClassMap& map, const Block& b,
          double step_s, const Packages& before, Scratch& s, Pass& pass) {
  Lanes mean_K = before.guess_K;
  std::array<double, n_lane> front;
  for (std::size_t i = 0; i < b.n_node; ++i) front[i] = state.front_W[b.node[i]];
  for (int i = 0; i < 4; ++i) {
    set_air(fleet, state, task, b, step_s, mean_K, front, s.air);
    run_pass(b, before, map, task.repetitions, step_s, mean_K, s, pass);
    const double moved_K = largest_gap(pass.mean_K, mean_K, 0, b.n_used());
    mean_K = pass.mean_K;
    front = front_W(fleet, b, pass.heat_J, step_s);
    if (moved_K <= 0.02) break;
  }
}

TIDEWATT_CLONES
void rises(const ClassMap& map, double k_T, const Lanes& r, std::vector<Lanes>& out) {
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const double per_r = k_T * map.kind_rise_K[map.used[i]];
    Lanes& rise = out[i];
    for (std::size_t l = 0; l < n_lane; ++l) rise[l] = math::exp(per_r * r[l]);
  }
}

void jump_block(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map,
                const Block& b, double step_s, Scratch& s, NodeBooks* books, double* kind_ac_W) {
  const Packages before = load_packages(fleet, state, b, step_s);
  gated_powers(fleet, state, signals, task, b, before.guess_K, map.used, s.powers);
  s.rise.resize(map.used.size());
  s.watts.resize(map.used.size());
  rises(map, b.type->gpu.params().leakage_per_K, before.r, s.rise);
  Pass pass;
  jump(fleet, state, task, map, b, step_s, before, s, pass);
  Lanes gpu_J;
  book_power(b, task, map, s, pass, books, gpu_J, kind_ac_W, task.timeline->kinds.size());
  store_packages(state, b, before, s.air, pass.end, step_s, books);
  const Lanes carry_K = map.repeats ? last_mean_K(before, map, task.repetitions, step_s, s.air, pass) : gather(state.die_K.data(), b);
  for (std::size_t l = 0; l < b.n_used(); ++l) {
    const std::size_t g = b.gpu[l];
    signals.gpu_J[g] = gpu_J[l];
    state.die_mean_K[g] = pass.mean_K[l];
    state.die_rate_K_per_s[g] = map.repeats ? (carry_K[l] - state.die_carry_K[g]) / step_s : 0.0;
    state.die_carry_K[g] = carry_K[l];
    state.die_peak_K[g] = map.repeats ? pass.mean_K[l] + before.r[l] * map.peak_rise_K
                                      : std::max({before.die_K[l], pass.mean_K[l], state.die_K[g]});
  }
  for (std::size_t i = 0; i < b.n_node; ++i) {
    books[b.index[i]].gpu_in += sum_of(gpu_J, b, i);
    signals.miss_K[b.node[i]] = largest_gap(pass.mean_K, before.guess_K, i * b.n_gpu, b.n_gpu);
  }
  finish_nodes(fleet, state, signals, b, s.air, step_s, pass.heat_J, books);
}

}  // namespace

ClassPower advance_periodic(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task, std::span<const ClassMap> maps) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.timeline->kinds.size();
  const double step_s = seconds(task.timeline->period) * static_cast<double>(task.repetitions);
  std::vector<NodeBooks> books(task.n_node());
  std::vector<double> kind_ac_W(task.n_node() * n_kind, 0.0);
  const auto blocks = make_blocks(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch scratch;
    for (std::size_t i = begin; i < end; ++i)
      jump_block(fleet, state, signals, task, maps[blocks[i].cls], blocks[i], step_s, scratch, books.data(), kind_ac_W.data());
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
