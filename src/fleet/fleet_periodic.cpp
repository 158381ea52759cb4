#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "fleet_jump.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using namespace detail;

Course whole_course(const FleetTask& task) {
  Course out;
  out.step_s = seconds(duration_of(task));
  out.repetitions = static_cast<double>(task.repetitions);
  for (const auto& leg : task.legs) {
    out.legs.push_back({seconds(leg.repetitions > 0 ? task.timeline->period * leg.repetitions : leg.duration),
                        static_cast<double>(leg.repetitions)});
    if (leg.repetitions > 0) continue;
    out.pause_s += seconds(leg.duration);
    out.n_pause += 1.0;
  }
  if (out.legs.empty()) out.legs.push_back({out.step_s, out.repetitions});
  return out;
}

/// AC power per watt of GPUs at a node's load.
double ac_per_gpu_W(const power::ServerPowerParams& p, double dc_W) {
  return (1.0 + p.psu_linear_ratio + 2.0 * p.psu_square_ratio * dc_W / p.psu_rating_W) / p.gpu_conversion_ratio;
}

/// Eight sums side by side, so that one addition does not wait for another.
TIDEWATT_INLINE double sum_side_by_side(const double* x, std::size_t n) {
  double part[8] = {};
  const std::size_t whole = n / 8 * 8;
  for (std::size_t l = 0; l < whole; l += 8)
    for (std::size_t u = 0; u < 8; ++u) part[u] += x[l + u];
  for (std::size_t l = whole; l < n; ++l) part[l - whole] += x[l];
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

bool bounded(const KindPower& kind) { return kind.low_W > 0.0 || kind.high_W < 1e30; }

/// [segment] AC power of a block's GPUs beyond what all of them draw at its kind's mean clock: a bound keeps those that it meets.
TIDEWATT_CLONES
void find_more(const Block& b, const ClassMap& map, std::span<const workload::Segment> segments, const Lanes& worked_K,
               Scratch& s) {
  const power::LeakageLaw leakage = b.type->gpu.leakage();
  std::vector<std::size_t> place(map.kind_s.size(), 0);  // of the kind among those used
  for (std::size_t u = 0; u < map.used.size(); ++u) place[map.used[u]] = u;
  Lanes factor;
  for (std::size_t l = 0; l < n_lane; ++l) factor[l] = leakage.temperature_factor(worked_K[l]);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t u = place[segments[i].kind];
    const KindPower& kind = s.powers[u];
    const double more_W = map.within.more_W[i];
    Lanes W;
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double own_W = kind.natural(l, factor[l] * s.rise[u][l]) + more_W,
                   below = own_W < kind.high_W ? own_W : kind.high_W;
      W[l] = (below > kind.low_W ? below : kind.low_W) - s.watts[u][l];
    }
    s.segment_more_W[i] = sum_side_by_side(W.x, b.n_used()) * s.ac_per_gpu[u];
  }
}

/// AC power per watt of GPUs in every kind: supplies lose more of what comes on top of much.
TIDEWATT_CLONES
void find_ac_per_gpu(const Block& b, const ClassMap& map, Scratch& s) {
  const double per_node = 1.0 / (static_cast<double>(b.n_node) * b.type->server.gpu_conversion_ratio);
  s.ac_per_gpu.resize(map.used.size());
  for (std::size_t i = 0; i < map.used.size(); ++i)
    s.ac_per_gpu[i] =
        ac_per_gpu_W(b.type->server, sum_side_by_side(s.watts[i].x, b.n_used()) * per_node + b.type->server.host_W);
}

/// Part of the AC power of a block's kinds that follows the dies' leakage: none where smoothing keeps the power.
TIDEWATT_CLONES
void find_leakage(const Block& b, const ClassMap& map, Scratch& s) {
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    if (bounded(s.powers[i])) continue;
    const double fixed_W = sum_side_by_side(s.powers[i].fixed_W.x, b.n_used());
    s.kind_leak_W[i] = (sum_side_by_side(s.watts[i].x, b.n_used()) - fixed_W) * s.ac_per_gpu[i];
  }
}

/// Of segments from their kinds.
void find_differences(const FleetTask& task, const ClassMap& map, const Block& b, const Pass& pass, Scratch& s) {
  if (map.leakage.apart.empty() && map.within.more_W.empty()) return;
  find_ac_per_gpu(b, map, s);
  if (!map.leakage.apart.empty()) find_leakage(b, map, s);
  if (map.within.more_W.empty()) return;
  if (!task.class_kinds.empty()) return find_more(b, map, task.timeline->classes[b.cls], pass.worked_K, s);
  for (std::size_t i = 0; i < map.used.size(); ++i) s.per_gpu_W[i] = static_cast<double>(b.n_used()) * s.ac_per_gpu[i];
}

/// What smoothing burns in a kind beyond what the GPUs would draw by themselves.
TIDEWATT_INLINE void book_burn(const Block& b, const KindPower& power, const Lanes& watts, const Lanes& leak_factor,
                               double spent_s, std::array<NodeBooks, n_lane>& books) {
  for (std::size_t n = 0; n < b.n_node; ++n)
    for (std::size_t l = n * b.n_gpu; l < (n + 1) * b.n_gpu; ++l) {
      const double natural_W = power.natural(l, leak_factor[l]);
      books[n].burn += std::max(0.0, watts[l] - natural_W) * spent_s;
    }
}

/// [node of the block] 1, or 0 where a node has switched itself off: it draws nothing.
NodeRow live_nodes(const Scratch& s) {
  NodeRow out;
  for (std::size_t i = 0; i < n_lane; ++i) out[i] = s.off[i] ? 0.0 : 1.0;
  return out;
}

/// Energies of every kind at all nodes, through the server to its AC input.
/// @param live [node] 1, or 0 where the server draws nothing
TIDEWATT_CLONES
void book_power(const Block& b, const FleetTask& task, const ClassMap& map, const Course& course, const NodeRow& live,
                Scratch& s, const Pass& pass) {
  const bool busy = task.class_busy[b.cls] != 0;
  const power::ServerPowerParams server = b.type->server;  // of its own: what is written below cannot change it
  const std::size_t n_used = map.used.size(), n_all = n_used + (course.n_pause > 0.0 ? 1 : 0), n_node = b.n_node;
  NodeRow gpu_W, ac_W, ac_J, conversion_J, psu_J, fan_W;
  for (auto* of : {&ac_J, &conversion_J, &psu_J, &fan_W}) std::fill_n(of->begin(), n_node, 0.0);
  double spent_s = 0.0, reference_J = 0.0, busy_host_s = 0.0, idle_host_s = 0.0;
  bool any_held = false;
  for (std::size_t i = 0; i < n_all; ++i) {
    const bool works = i < n_used;
    const auto kind = works ? map.used[i] : task.pause_kind;
    const double of_kind_s = works ? map.used_s[i] * course.repetitions : course.pause_s;
    s.spent_s[i] = of_kind_s;
    spent_s += of_kind_s;
    reference_J += task.kind_reference_W[kind] * of_kind_s;
    any_held = any_held || (works ? s.powers[i] : s.pause).low_W > 0.0;
    if (task.dark) continue;
    const bool busy_host = busy && task.kind_context[kind] != 0;  // one whose process has not begun is at rest
    (busy_host ? busy_host_s : idle_host_s) += of_kind_s;
    node_sums(b, works ? s.watts[i] : s.pause_W, gpu_W);
    TIDEWATT_LANE_LOOP
    for (std::size_t n = 0; n < n_node; ++n) {
      const auto p = power::server_power_by_cube(server, gpu_W[n], s.air.fan_cube[n], busy_host);
      ac_W[n] = live[n] * p.ac_W, fan_W[n] = live[n] * p.fan_W;
      ac_J[n] += ac_W[n] * of_kind_s;
      conversion_J[n] += p.conversion_W * of_kind_s;
      psu_J[n] += live[n] * p.psu_W * of_kind_s;
    }
    double& sum_W = s.kind_ac_W[i];
    for (std::size_t n = 0; n < n_node; ++n) sum_W += ac_W[n];
  }
  for (std::size_t n = 0; n < n_node; ++n) {
    NodeBooks& book = s.books[n];
    book.ac_in += ac_J[n];
    book.conversion += conversion_J[n];
    book.psu += psu_J[n];
    book.host += live[n] * (server.host_W * busy_host_s + server.host_idle_W * idle_host_s);
    book.fan += fan_W[n] * spent_s;
    book.reference += reference_J;
  }
  if (!any_held) return;
  Lanes leak_factor;
  for (std::size_t l = 0; l < b.n_used(); ++l)
    leak_factor[l] = b.type->gpu.leakage_temperature_factor(pass.worked_K[l]);
  for (std::size_t i = 0; i < n_all; ++i) {
    const KindPower& power = i < n_used ? s.powers[i] : s.pause;
    if (power.low_W > 0.0) book_burn(b, power, i < n_used ? s.watts[i] : s.pause_W, leak_factor, s.spent_s[i], s.books);
  }
}

/// e^x for |x| up to `most_small_x`, dimensionless; error below 2e-9. About half the work of math::exp().
constexpr double most_small_x = 0.3;
TIDEWATT_INLINE double exp_small(double x) {
  double p = std::fma(1.0 / 5040.0, x, 1.0 / 720.0);
  p = std::fma(p, x, 1.0 / 120.0), p = std::fma(p, x, 1.0 / 24.0), p = std::fma(p, x, 1.0 / 6.0);
  return std::fma(std::fma(std::fma(p, x, 0.5), x, 1.0), x, 1.0);
}

TIDEWATT_CLONES
void set_kind_offsets(const ClassMap& map, double k_T, const Lanes& r, std::size_t n_used, std::vector<Lanes>& out) {
  const std::size_t n = (n_used + 7) / 8 * 8;  // whole vectors
  double most_r = 0.0;
  for (std::size_t l = 0; l < n; ++l) most_r = r[l] > most_r ? r[l] : most_r;
  for (std::size_t i = 0; i < map.used.size(); ++i) {
    const double per_r = k_T * map.leakage.rise_K[map.used[i]],
                 per_r2 = 0.5 * k_T * k_T * map.leakage.spread_K2[map.used[i]];
    Lanes& rise = out[i];
    if (most_r * (std::abs(per_r) + most_r * std::abs(per_r2)) < most_small_x)
      for (std::size_t l = 0; l < n; ++l) rise[l] = exp_small(r[l] * std::fma(per_r2, r[l], per_r));
    else
      for (std::size_t l = 0; l < n; ++l) rise[l] = math::exp(r[l] * std::fma(per_r2, r[l], per_r));
    std::fill(rise.x + n, rise.x + n_lane, 1.0);
  }
}

/// Mean temperatures in the pauses, which begin where repetitions do: after their last wait dies are cooler than on average.
TIDEWATT_CLONES
void pause_rises(double k_T, const ClassMap& map, const FleetState& state, const Block& b, const Packages& before,
                 Lanes& die_K, Lanes& factor) {
  Lanes rise_K;
  std::fill_n(rise_K.x, n_lane, map.pause.K);
  for (std::size_t j = 0; j < n_mode; ++j) {
    const Lanes ripple_K = gather(state.ripple_K[j].data(), b);
    for (std::size_t l = 0; l < n_lane; ++l) rise_K[l] = std::fma(map.pause.per_K[j], ripple_K[l], rise_K[l]);
  }
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double by_K = rise_K[l] * before.r[l];
    die_K[l] = before.guess_K[l] + by_K;
    factor[l] = math::exp(k_T * by_K);
  }
}

/// Power of a class in its segments: that of their kinds, with its own leakage where the die differs. The energy of a kind is
/// unchanged.
/// @param leak_W [kind] part of `kind_W` [kind] that follows the die's temperature  @param more_W [segment] beyond its kind's mean
std::vector<double> segment_W(std::span<const workload::Segment> segments, const ClassMap& map, const double* kind_W,
                              const double* leak_W, std::span<const double> more_W) {
  std::vector<double> apart_J(map.kind_s.size(), 0.0);  // [kind] energy of its segments beyond their kind's mean
  std::vector<double> rest_W(map.kind_s.size()), out(segments.size());
  for (std::size_t i = 0; i < map.within.more_W.size(); ++i)
    apart_J[segments[i].kind] += more_W[i] * seconds(segments[i].duration);
  for (const auto& a : map.leakage.apart) {
    const auto& s = segments[a.segment];
    apart_J[s.kind] += leak_W[s.kind] * a.leakage_share * seconds(s.duration);
  }
  for (std::size_t k = 0; k < rest_W.size(); ++k)
    rest_W[k] = apart_J[k] == 0.0 ? kind_W[k] : kind_W[k] - apart_J[k] / map.kind_s[k];
  for (std::size_t i = 0; i < segments.size(); ++i) out[i] = rest_W[segments[i].kind];
  for (const auto& a : map.leakage.apart) out[a.segment] += leak_W[segments[a.segment].kind] * a.leakage_share;
  for (std::size_t i = 0; i < map.within.more_W.size(); ++i) out[i] += more_W[i];
  return out;
}

/// What a block's jump reads and writes.
void fetch_for_jump(const Fleet& fleet, const FleetState& s, const FleetSignals& to, const Block& b) {
  fetch(b, s.die_K.data(), s.base_K.data(), s.sink_K.data(), s.mean_W.data(), s.die_mean_K.data(), s.die_peak_K.data(),
        to.hottest_K.data(), s.ripple_K[0].data(), s.ripple_K[1].data(), s.ripple_K[2].data(),
        fleet.resistance_ratio.data(), to.guess_K.data(), to.gpu_J.data(), s.own_Hz.data(), s.clock_Hz.data(),
        s.window_W.data(), fleet.chip.data());
}

void jump_block(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task,
                const ClassMap& map, const Block& b, const Course& course, Scratch& s, NodeBooks& books) {
  const double step_s = course.step_s;
  std::fill_n(s.books.begin(), b.n_node, NodeBooks{});
  const Packages before = load_packages(fleet, state, signals, b);
  gated_powers(fleet, state, signals, task, b, before.guess_K, map.used, s.powers);
  if (!map.within.kind_W.empty())
    for (std::size_t i = 0; i < map.used.size(); ++i)
      for (double& W : s.powers[i].fixed_W.x) W += map.within.kind_W[map.used[i]];
  s.rise.resize(map.used.size());
  s.watts.resize(map.used.size());
  s.die_weight.resize(b.n_node * map.n_padded());
  s.heat_weight.resize(b.n_node * map.n_padded());
  s.weight_s.resize(n_mode * map.n_padded());
  s.spent_s.resize(map.n_padded() + 1);
  const double k_T = b.type->gpu.params().leakage_per_K;
  set_kind_offsets(map, k_T, before.r, b.n_used(), s.rise);
  if (course.n_pause > 0.0) {
    pause_rises(k_T, map, state, b, before, s.pause_die_K, s.pause_rise);
    s.pause = pause_powers(fleet, state, task, b, s.pause_die_K);
  }
  const bool any_off = any_node_off(state, b);
  for (std::size_t i = 0; i < b.n_node; ++i) s.off[i] = any_off && state.off[b.node[i]] != 0;
  Pass pass;
  jump(fleet, state, signals, task, map, b, course, before, s, pass);
  book_power(b, task, map, course, live_nodes(s), s, pass);
  if (!task.dark) find_differences(task, map, b, pass, s);
  store_packages(state, b, before, pass.end_K[0], pass.end_K[1], pass.end_K[2], s.books.data());
  store_step(state, signals, task, map, b, course, before, s, pass, pass.gpu_J);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    s.books[i].gpu_in += sum_of(pass.gpu_J, b, i);
    signals.miss_K[b.node[i]] = largest_gap(pass.worked_K, before.guess_K, i * b.n_gpu, b.n_gpu);
    if (b.type->stairs)
      signals.fan_stepped[b.node[i]] = s.air.fan_used_frac[i] != signals.guess_fan_frac[b.node[i]] ? 1 : 0;
  }
  finish_nodes(fleet, state, signals, b, s.air, step_s, pass.heat_J, s.books.data());
  books = sum_of_nodes(s.books.data(), b.n_node);
}

}  // namespace

ClassPower advance_periodic(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task, std::span<const ClassMap> maps) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.kind_mix.size();
  const Course course = whole_course(task);
  const auto& blocks = blocks_of(fleet, task);
  std::size_t widest = 0;  // of the classes, where bounds keep some GPUs from moving with the others
  std::size_t n_row = 0;   // a block's kinds, and pauses
  for (std::size_t c = 0; c < classes.size(); ++c) {
    n_row = std::max(n_row, maps[c].used.size() + 1);
    if (!task.class_kinds.empty()) widest = std::max(widest, maps[c].within.more_W.size());
  }
  std::vector<NodeBooks> books(blocks.size());
  std::vector<double> kind_ac_W(blocks.size() * n_row, 0.0), kind_leak_W(blocks.size() * n_row, 0.0),
      per_gpu_W(blocks.size() * n_row, 0.0), more_W(blocks.size() * widest, 0.0);
  parallel_ranges(
      blocks.size(), task.n_thread,
      [&](std::size_t begin, std::size_t end) {
        Scratch scratch;
        for (std::size_t i = begin; i < end; ++i) {
          if (i + 1 < end) fetch_for_jump(fleet, state, signals, blocks[i + 1]);
          scratch.kind_ac_W = kind_ac_W.data() + i * n_row;
          scratch.kind_leak_W = kind_leak_W.data() + i * n_row;
          scratch.per_gpu_W = per_gpu_W.data() + i * n_row;
          scratch.segment_more_W = more_W.data() + i * widest;
          jump_block(fleet, state, signals, task, maps[blocks[i].cls], blocks[i], course, scratch, books[i]);
        }
      },
      few_blocks);
  book(meters, books);
  std::vector<double> class_kind_W(classes.size() * n_kind, 0.0), class_leak_W(class_kind_W),
      class_per_gpu_W(class_kind_W), class_more_W(classes.size() * widest, 0.0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t cls = blocks[i].cls;
    for (std::size_t k = 0; k < widest; ++k) class_more_W[cls * widest + k] += more_W[i * widest + k];
    const auto& used = maps[cls].used;
    for (std::size_t u = 0; u < used.size(); ++u) {
      class_kind_W[cls * n_kind + used[u]] += kind_ac_W[i * n_row + u];
      class_leak_W[cls * n_kind + used[u]] += kind_leak_W[i * n_row + u];
      class_per_gpu_W[cls * n_kind + used[u]] += per_gpu_W[i * n_row + u];
    }
    if (course.n_pause > 0.0) class_kind_W[cls * n_kind + task.pause_kind] += kind_ac_W[i * n_row + used.size()];
  }
  signals.pause_W = 0.0;
  if (course.n_pause > 0.0)
    for (std::size_t c = 0; c < classes.size(); ++c) signals.pause_W += class_kind_W[c * n_kind + task.pause_kind];
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::vector<double> beyond_W = maps[c].within.more_W;
    for (std::size_t k = 0; k < beyond_W.size(); ++k)
      beyond_W[k] = beyond_W[k] * class_per_gpu_W[c * n_kind + classes[c][k].kind] +
                    (widest > 0 ? class_more_W[c * widest + k] : 0.0);
    out[c] =
        segment_W(classes[c], maps[c], class_kind_W.data() + c * n_kind, class_leak_W.data() + c * n_kind, beyond_W);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
