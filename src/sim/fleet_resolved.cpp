#include <algorithm>

#include "fleet_node.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

struct Half {
  std::array<double, n_mode> decay, mean;  // e^{−λd/2} and its mean over (0, d/2)
};

/// All GPUs of one node through one segment. `z` holds each GPU's modes, advanced in place; `watts` receives the power.
/// Leakage at the segment's middle, predicted with the power at its start: second order.
TIDEWATT_INLINE void step_segment(const NodeStep& step, const Lanes& air_K, const Lanes& r, std::size_t kind_slot,
                         std::size_t n_used, std::span<const KindPower> powers, double d, const Half& half,
                         std::array<Lanes, n_mode>& z, std::array<Lanes, n_mode>& area, Lanes& watts, Lanes& peak_K) {
  const auto& m = *step.modes;
  const double k_T = step.type.gpu.params().leakage_per_K;
  const double T_ref = step.type.gpu.params().leakage_ref_K;
  for (std::size_t g = 0; g < step.n_gpu; ++g) {
    const KindPower& p = powers[g * n_used + kind_slot];
    double die = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) die = std::fma(m.shape[0][j], z[j][g], die);
    const double start_W = p.at(math::exp(k_T * (std::fma(r[g], die, air_K[g]) - T_ref)));
    double middle = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double zj = std::fma(half.decay[j], z[j][g], m.gain_K_per_J[j] * start_W * (0.5 * d) * half.mean[j]);
      middle = std::fma(m.shape[0][j], zj, middle);
    }
    const double W = p.at(math::exp(k_T * (std::fma(r[g], middle, air_K[g]) - T_ref)));
    watts[g] = W;
    double end = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double drive = m.gain_K_per_J[j] * W;
      // Over the whole segment: decay = half², mean = half.mean (1 + half)/2.
      const double next = std::fma(half.decay[j] * half.decay[j], z[j][g],
                                   drive * d * half.mean[j] * (0.5 + 0.5 * half.decay[j]));
      area[j][g] += (drive * d - (next - z[j][g])) / m.rate_per_s[j];
      z[j][g] = next;
      end = std::fma(m.shape[0][j], next, end);
    }
    peak_K[g] = std::max(peak_K[g], std::fma(r[g], end, air_K[g]));
  }
}

struct Scratch {
  std::vector<std::uint32_t> used, slot_of_kind;
  std::vector<KindPower> powers;
};

TIDEWATT_CLONES
void play_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, NodeStep& step,
               Scratch& s, NodeBooks& books, double* segment_W) {
  const auto& segments = task.timeline->classes[step.cls];
  const auto& m = *step.modes;
  const auto& pkg = step.type.package;
  Lanes air_K{}, r{}, peak_K{}, total_J{}, heat_J{};
  std::array<Lanes, n_mode> z{}, area{};
  for (std::size_t g = 0; g < step.n_gpu; ++g) {
    const std::size_t i = step.first_gpu + g;
    air_K[g] = step.air_K(fleet, g);
    r[g] = fleet.resistance_ratio[i];
    peak_K[g] = state.die_K[i];
    const auto z0 = to_modes(m, state.die_K[i], state.base_K[i], state.sink_K[i], air_K[g], r[g]);
    for (std::size_t j = 0; j < n_mode; ++j) z[j][g] = z0[j];
  }
  const bool busy = task.class_busy[step.cls] != 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double d = seconds(segments[i].duration);
    Half half;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double x = 0.5 * d * m.rate_per_s[j];
      half.decay[j] = math::exp(-x);
      half.mean[j] = math::mean_decay(x);
    }
    Lanes watts{};
    step_segment(step, air_K, r, s.slot_of_kind[segments[i].kind], s.used.size(), s.powers, d, half, z, area, watts,
                 peak_K);
    double gpu_W = 0.0;
    for (std::size_t g = 0; g < step.n_gpu; ++g) {
      gpu_W += watts[g];
      total_J[g] += watts[g] * d;
      const auto& kind = s.powers[g * s.used.size() + s.slot_of_kind[segments[i].kind]];
      if (kind.low_W > 0.0)
        books.burn += std::max(0.0, watts[g] - kind.natural(step.type.gpu.leakage_temperature_factor(
                                                    state.die_mean_K[step.first_gpu + g]))) * d;
    }
    const auto p = power::server_power(step.type.server, gpu_W, step.fan_mean_frac, busy);
    segment_W[i] = p.ac_W;
    books.ac_in += p.ac_W * d;
    books.conversion += p.conversion_W * d;
    books.host += p.host_W * d;
    books.fan += p.fan_W * d;
    books.psu += p.psu_W * d;
    books.reference += task.kind_reference_W[segments[i].kind] * d;
  }
  for (std::size_t g = 0; g < step.n_gpu; ++g) {
    const std::size_t i = step.first_gpu + g;
    std::array<double, n_mode> end{}, a{};
    for (std::size_t j = 0; j < n_mode; ++j) {
      end[j] = z[j][g];
      a[j] = area[j][g];
    }
    const double die = air_K[g] + r[g] * from_modes(m, 0, end);
    const double base = air_K[g] + r[g] * from_modes(m, 1, end);
    const double sink = air_K[g] + r[g] * from_modes(m, 2, end);
    books.package_stored += (pkg.die_J_per_K * (die - state.die_K[i]) + pkg.base_J_per_K * (base - state.base_K[i]) +
                             pkg.sink_J_per_K * (sink - state.sink_K[i])) / r[g];
    state.die_K[i] = die;
    state.base_K[i] = base;
    state.sink_K[i] = sink;
    state.die_mean_K[i] = air_K[g] + r[g] * from_modes(m, 0, a) / step.step_s;
    heat_J[g] = m.sink_air_W_per_K * from_modes(m, 2, a);
    state.die_peak_K[i] = peak_K[g];
    signals.gpu_J[i] = total_J[g];
    books.gpu_in += total_J[g];
  }
  finish_node(fleet, state, signals, step, books, heat_J);
}

}  // namespace

ClassPower advance_resolved(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.timeline->kinds.size();
  std::size_t widest = 0;
  for (const auto& c : classes) widest = std::max(widest, c.size());
  std::vector<NodeBooks> books(fleet.n_node());
  std::vector<double> segment_W(fleet.n_node() * widest);
  parallel_ranges(fleet.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch s;
    for (std::size_t n = begin; n < end; ++n) {
      const std::uint32_t cls = task.node_class[n];
      s.used.clear();
      s.slot_of_kind.assign(n_kind, UINT32_MAX);
      for (const auto& seg : classes[cls]) {
        if (s.slot_of_kind[seg.kind] != UINT32_MAX) continue;
        s.slot_of_kind[seg.kind] = static_cast<std::uint32_t>(s.used.size());
        s.used.push_back(seg.kind);
      }
      const std::size_t g = n * fleet.n_gpu_per_node;
      NodeStep step{fleet.types[fleet.node_hall[n]], n, g, fleet.n_gpu_per_node, cls, seconds(task.timeline->period)};
      step.inlet_K = task.inlet_K[n];
      step.set_fan(state.fan_frac[n], std::span<const double>(state.die_mean_K.data() + g, step.n_gpu));
      step.set_rear(state.front_W[n], task.air_J_per_m3_K);
      gated_powers(fleet, state, signals, task, step, s.used, s.powers);
      play_node(fleet, state, signals, task, step, s, books[n], &segment_W[n * widest]);
    }
  });
  book(meters, books);
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) out[c].assign(classes[c].size(), 0.0);
  for (std::size_t n = 0; n < fleet.n_node(); ++n) {
    auto& sum = out[task.node_class[n]];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += segment_W[n * widest + i];
  }
  return out;
}

workload::Timeline graded(const workload::Timeline& timeline) {
  workload::Timeline out;
  out.kinds = timeline.kinds;
  out.period = timeline.period;
  for (const auto& segments : timeline.classes) {
    auto& fine = out.classes.emplace_back();
    std::uint32_t last_kind = UINT32_MAX;
    Tick step = 0;
    for (const auto& s : segments) {
      if (s.kind != last_kind) step = 10 * ns_per_ms;
      last_kind = s.kind;
      for (Tick left = s.duration; left > 0; step *= 2) {
        const Tick d = left <= step + step / 2 ? left : step;
        fine.push_back({d, s.kind});
        left -= d;
      }
    }
  }
  return out;
}

}  // namespace tidewatt::sim
