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
  KindPower pause;
  Lanes pause_rise, pause_W;
  std::vector<Lanes> rise;   // [used] e^{k_T r rise}: the kind's leakage over that at the mean temperature
  std::vector<Lanes> watts;  // [used]
  Air air;
};

/// What a jump does to a block's packages.
struct Pass {
  Modes end;
  Modes ripple_K;
  Lanes mean_K, heat_J;
};

/// A jump's legs in seconds; what does not depend on the block.
struct Course {
  struct Stretch {
    double s;            // whole length
    double repetitions;  // 0: a pause
  };
  std::vector<Stretch> legs;
  double step_s = 0.0, repetitions = 0.0, pause_s = 0.0, n_pause = 0.0;
};
Course course_of(const FleetTask& task) {
  Course out;
  out.step_s = seconds(task.duration());
  out.repetitions = static_cast<double>(task.repetitions);
  for (const auto& leg : task.legs) {
    out.legs.push_back({seconds(leg.repetitions > 0 ? task.timeline->period * leg.repetitions : leg.duration), static_cast<double>(leg.repetitions)});
    if (leg.repetitions > 0) continue;
    out.pause_s += seconds(leg.duration);
    out.n_pause += 1.0;
  }
  if (out.legs.empty()) out.legs.push_back({out.step_s, out.repetitions});
  return out;
}

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

/// Of one mode over the whole step: e^{−λt}; Σ over repetitions of e^{−λ(time from its end to the step's end)}; and
/// ∫ over pauses of e^{−λ(time to the step's end)} dt.
TIDEWATT_INLINE void repetition(const Lanes& rate_per_s, double period_s, const Course& course, Lanes& decay, Lanes& sum, Lanes& pause_s) {
  Lanes per_period{};
  std::fill_n(decay.x, n_lane, 1.0);
  sum = pause_s = {};
  if (course.legs.size() == 1 && course.repetitions == 1.0) {
    for (std::size_t l = 0; l < n_lane; ++l) decay[l] = math::exp(-rate_per_s[l] * period_s), sum[l] = 1.0;
    return;
  }
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double x = rate_per_s[l] * period_s;
    per_period[l] = 1.0 / mean_decay(x, math::exp(-x));
  }
  for (std::size_t i = course.legs.size(); i-- > 0;) {
    const auto leg = course.legs[i];
    Lanes& into = leg.repetitions > 0.0 ? sum : pause_s;
    const double weight = leg.repetitions > 0.0 ? leg.repetitions : leg.s;
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double y = rate_per_s[l] * leg.s, e = math::exp(-y);
      into[l] = std::fma(decay[l] * weight, mean_decay(y, e), into[l]);
      decay[l] *= e;
    }
  }
  for (std::size_t l = 0; l < n_lane; ++l) sum[l] *= per_period[l];
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
void run_pass(const Block& b, const Packages& before, const ClassMap& map, const Course& course, const Lanes& assumed_K,
              Scratch& s, Pass& out) {
  const Air& air = s.air;
  const std::size_t n_used = map.used.size();
  const auto& p = b.type->gpu.params();
  const double k_T = p.leakage_per_K, ref_K = p.leakage_ref_K;
  const double step_s = course.step_s;
  Lanes factor, total_J{};
  for (std::size_t l = 0; l < n_lane; ++l) factor[l] = math::exp(k_T * (assumed_K[l] - ref_K));
  for (std::size_t i = 0; i < n_used; ++i) {
    const KindPower& kind = s.powers[i];
    const Lanes& rise = s.rise[i];
    Lanes& watts = s.watts[i];
    const double kind_s = map.kind_s[map.used[i]] * course.repetitions;
    for (std::size_t l = 0; l < n_lane; ++l) {
      watts[l] = kind.at(l, factor[l] * rise[l]);
      total_J[l] += watts[l] * kind_s;
    }
  }
  if (course.n_pause > 0.0)
    for (std::size_t l = 0; l < n_lane; ++l) {
      s.pause_W[l] = s.pause.at(l, factor[l] * s.pause_rise[l]);
      total_J[l] += s.pause_W[l] * course.pause_s;
    }
  const Modes start = to_modes(before, air, step_s);
  Lanes die_Ks{}, sink_Ks{};
  const double per_step_s = 1.0 / step_s;
  for (std::size_t j = 0; j < n_mode; ++j) {
    const Shares share = shares(map, j, air.rate_per_s[j]);
    Lanes drive{}, decay, sum, pause_s;
    for (std::size_t i = 0; i < n_used; ++i) {
      const auto& w = map.weight_s[map.used[i]][j];
      const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
      const Lanes& watts = s.watts[i];
      for (std::size_t l = 0; l < n_lane; ++l) {
        const double weight_s = std::fma(share.q[0][l], w0, std::fma(share.q[1][l], w1, std::fma(share.q[2][l], w2, share.q[3][l] * w3)));
        drive[l] = std::fma(watts[l], weight_s, drive[l]);
      }
    }
    repetition(air.rate_per_s[j], map.period_s, course, decay, sum, pause_s);
    if (course.n_pause > 0.0)
      for (std::size_t l = 0; l < n_lane; ++l) drive[l] = std::fma(s.pause_W[l], pause_s[l], drive[l] * sum[l]);
    else
      for (std::size_t l = 0; l < n_lane; ++l) drive[l] *= sum[l];
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double z0 = start[j][l], gain = air.gain_K_per_J[j][l];
      const double moved = air_drive(air, j, l, before.r[l]);
      const double in = gain * drive[l] + moved * ((1.0 - decay[l]) / air.rate_per_s[j][l]);
      const double z1 = std::fma(decay[l], z0, in);
      out.ripple_K[j][l] = gain * (drive[l] / (1.0 - decay[l]) - total_J[l] * per_step_s / air.rate_per_s[j][l]);
      const double area = (gain * total_J[l] + moved * step_s - (z1 - z0)) / air.rate_per_s[j][l];
      out.end[j][l] = z1;
      die_Ks[l] = std::fma(air.shape[0][j][l], area, die_Ks[l]);
      sink_Ks[l] = std::fma(air.shape[2][j][l], area, sink_Ks[l]);
    }
  }
  for (std::size_t l = 0; l < n_lane; ++l) {
    out.mean_K[l] = air.air_K[l] + before.r[l] * die_Ks[l] * per_step_s;
    out.heat_J[l] = air.sink_air_W_per_K[l] * sink_Ks[l];
  }
}

/// Energies of every kind at every node of the block, through the servers to their AC inputs.
void book_power(const Block& b, const FleetTask& task, const ClassMap& map, const Course& course, const Scratch& s,
                const Pass& pass, NodeBooks* books, Lanes& gpu_J, double* kind_ac_W, std::size_t n_kind) {
  const bool busy = task.class_busy[b.cls] != 0;
  gpu_J = {};
  const std::size_t n_used = map.used.size(), n_all = n_used + (course.n_pause > 0.0 ? 1 : 0);
  for (std::size_t i = 0; i < n_all; ++i) {
    const bool pause = i == n_used;
    const std::uint32_t k = pause ? task.pause_kind : map.used[i];
    const double spent_s = pause ? course.pause_s : map.kind_s[k] * course.repetitions;
    const Lanes& watts = pause ? s.pause_W : s.watts[i];
    const KindPower& power = pause ? s.pause : s.powers[i];
    for (std::size_t l = 0; l < n_lane; ++l) gpu_J[l] += watts[l] * spent_s;
    for (std::size_t n = 0; n < b.n_node; ++n) {
      NodeBooks& book = books[b.index[n]];
      if (power.low_W > 0.0)
        for (std::size_t l = n * b.n_gpu; l < (n + 1) * b.n_gpu; ++l) {
          const double natural_W = power.natural(l, b.type->gpu.leakage_temperature_factor(pass.mean_K[l]));
          book.burn += std::max(0.0, watts[l] - natural_W) * spent_s;
        }
      const auto p = power::server_power(b.type->server, sum_of(watts, b, n), s.air.fan_mean_frac[n], busy);
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

/// From the predicted means on, this step's own until they no longer move the power.
void jump(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task, const ClassMap& map, const Block& b,
          const Course& course, const Packages& before, Scratch& s, Pass& pass) {
  Lanes mean_K = before.guess_K;
  std::array<double, n_lane> front;
  for (std::size_t i = 0; i < b.n_node; ++i) front[i] = signals.guess_front_W[b.node[i]];
  for (int i = 0; i < 4; ++i) {
    set_air(state, task, b, course.step_s, mean_K, front, s.air);
    run_pass(b, before, map, course, mean_K, s, pass);
    const double moved_K = largest_gap(pass.mean_K, mean_K, 0, b.n_used());
    mean_K = pass.mean_K;
    front = front_W(fleet, b, pass.heat_J, course.step_s);
    if (moved_K <= 0.02 && (i > 0 || !task.slice)) break;
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

/// What the step did to every GPU, into state and signals.
TIDEWATT_CLONES
void keep(FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map, const Block& b, const Course& course,
          const Packages& before, const Scratch& s, const Pass& pass, const Lanes& gpu_J) {
  scatter(gpu_J, b, signals.gpu_J.data());
  Lanes peak_K;
  if (!task.slice) {
    Lanes mean_W;
    const double per_s = 1.0 / (course.step_s - course.pause_s), pause_s = course.n_pause > 0.0 ? course.pause_s : 0.0;
    for (std::size_t l = 0; l < n_lane; ++l) mean_W[l] = (gpu_J[l] - (pause_s > 0.0 ? s.pause_W[l] * pause_s : 0.0)) * per_s;
    scatter(mean_W, b, state.mean_W.data());
  }
  if (map.repeats && course.n_pause == 0.0)
    for (std::size_t j = 0; j < n_mode; ++j) scatter(pass.ripple_K[j], b, state.ripple_K[j].data());
  scatter(pass.mean_K, b, state.die_mean_K.data());
  if (map.repeats) {
    for (std::size_t l = 0; l < n_lane; ++l) peak_K[l] = pass.mean_K[l] + before.r[l] * map.peak_rise_K;
  } else {
    const Lanes now_K = gather(state.die_K.data(), b);
    for (std::size_t l = 0; l < n_lane; ++l) peak_K[l] = std::max({before.die_K[l], pass.mean_K[l], now_K[l]});
  }
  scatter(peak_K, b, state.die_peak_K.data());
}

/// Where the pauses' temperatures stand: their power begins there.
TIDEWATT_CLONES
void pause_rises(double k_T, double rise_K, const Packages& before, Lanes& die_K, Lanes& factor) {
  for (std::size_t l = 0; l < n_lane; ++l) {
    die_K[l] = std::fma(rise_K, before.r[l], before.guess_K[l]);
    factor[l] = math::exp(k_T * rise_K * before.r[l]);
  }
}

void jump_block(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map,
                const Block& b, const Course& course, Scratch& s, NodeBooks* books, double* kind_ac_W) {
  const double step_s = course.step_s;
  const Packages before = load_packages(fleet, state, signals, b);
  gated_powers(fleet, state, signals, task, b, before.guess_K, map.used, s.powers);
  s.rise.resize(map.used.size());
  s.watts.resize(map.used.size());
  const double k_T = b.type->gpu.params().leakage_per_K;
  rises(map, k_T, before.r, s.rise);
  if (course.n_pause > 0.0) {
    Lanes die_K;
    pause_rises(k_T, map.pause_rise_K, before, die_K, s.pause_rise);
    s.pause = pause_powers(fleet, state, task, b, die_K);
  }
  Pass pass;
  jump(fleet, state, signals, task, map, b, course, before, s, pass);
  Lanes gpu_J;
  book_power(b, task, map, course, s, pass, books, gpu_J, kind_ac_W, task.kind_mix.size());
  store_packages(state, b, before, s.air, pass.end, step_s, books);
  keep(state, signals, task, map, b, course, before, s, pass, gpu_J);
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
  const std::size_t n_kind = task.kind_mix.size();
  const Course course = course_of(task);
  std::vector<NodeBooks> books(task.n_node());
  std::vector<double> kind_ac_W(task.n_node() * n_kind, 0.0);
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch scratch;
    for (std::size_t i = begin; i < end; ++i)
      jump_block(fleet, state, signals, task, maps[blocks[i].cls], blocks[i], course, scratch, books.data(), kind_ac_W.data());
  });
  book(meters, books);
  std::vector<double> class_kind_W(classes.size() * n_kind, 0.0);
  for (std::size_t n = 0; n < task.n_node(); ++n)
    for (std::size_t k = 0; k < n_kind; ++k) class_kind_W[task.node_class[n] * n_kind + k] += kind_ac_W[n * n_kind + k];
  signals.pause_W = 0.0;
  if (course.n_pause > 0.0)
    for (std::size_t c = 0; c < classes.size(); ++c) signals.pause_W += class_kind_W[c * n_kind + task.pause_kind];
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    for (const auto& s : classes[c]) out[c].push_back(class_kind_W[c * n_kind + s.kind]);
  return out;
}

}  // namespace tidewatt::sim
