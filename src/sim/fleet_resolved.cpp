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

/// All GPUs of one node through one segment. `z` holds the modes, advanced in place; `watts` receives the power.
/// Leakage at the segment's middle, predicted with the power at its start: second order.
TIDEWATT_INLINE void step_segment(const NodeStep& step, const Lanes& air_K, const Lanes& r, const KindPower& p, double d,
                                  const Half& half, Modes& z, Modes& area, Lanes& watts, Lanes& peak_K) {
  const auto& m = *step.modes;
  const double k_T = step.type.gpu.params().leakage_per_K;
  const double T_ref = step.type.gpu.params().leakage_ref_K;
  std::array<double, n_mode> decay, half_drive, drive, gain_d, per_rate;
  for (std::size_t j = 0; j < n_mode; ++j) {
    // Over the whole segment: decay = half², mean = half.mean (1 + half)/2.
    decay[j] = half.decay[j] * half.decay[j];
    half_drive[j] = m.gain_K_per_J[j] * (0.5 * d) * half.mean[j];
    drive[j] = m.gain_K_per_J[j] * d * half.mean[j] * (0.5 + 0.5 * half.decay[j]);
    gain_d[j] = m.gain_K_per_J[j] * d;
    per_rate[j] = 1.0 / m.rate_per_s[j];
  }
  for (std::size_t l = 0; l < max_gpu; ++l) {
    const double start_W = p.at(l, math::exp(k_T * (std::fma(r[l], from_modes(m, 0, z, l), air_K[l]) - T_ref)));
    double middle = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j)
      middle = std::fma(m.shape[0][j], std::fma(half.decay[j], z[j][l], half_drive[j] * start_W), middle);
    const double W = p.at(l, math::exp(k_T * (std::fma(r[l], middle, air_K[l]) - T_ref)));
    watts[l] = W;
    double end = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double next = std::fma(decay[j], z[j][l], drive[j] * W);
      area[j][l] += (gain_d[j] * W - (next - z[j][l])) * per_rate[j];
      z[j][l] = next;
      end = std::fma(m.shape[0][j], next, end);
    }
    const double end_K = std::fma(r[l], end, air_K[l]);
    peak_K[l] = peak_K[l] > end_K ? peak_K[l] : end_K;
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
  const NodeLanes node = gather(fleet, state, step);
  const Lanes air_K = air_of(fleet, step);
  Lanes peak_K = node.die_K, total_J{}, watts{};
  Modes z = to_modes(m, node, air_K), area{};
  const bool busy = task.class_busy[step.cls] != 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double d = seconds(segments[i].duration);
    Half half;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double x = 0.5 * d * m.rate_per_s[j];
      half.decay[j] = math::exp(-x);
      half.mean[j] = math::mean_decay(x);
    }
    const KindPower& kind = s.powers[s.slot_of_kind[segments[i].kind]];
    step_segment(step, air_K, node.r, kind, d, half, z, area, watts, peak_K);
    for (std::size_t l = 0; l < max_gpu; ++l) total_J[l] += watts[l] * d;
    if (kind.low_W > 0.0)
      for (std::size_t l = 0; l < step.n_gpu; ++l)
        books.burn += std::max(0.0, watts[l] - kind.natural(l, step.type.gpu.leakage_temperature_factor(node.guess_K[l]))) * d;
    const auto p = power::server_power(step.type.server, sum_of(watts, step), step.fan_mean_frac, busy);
    segment_W[i] = p.ac_W;
    books.ac_in += p.ac_W * d;
    books.conversion += p.conversion_W * d;
    books.host += p.host_W * d;
    books.fan += p.fan_W * d;
    books.psu += p.psu_W * d;
    books.reference += task.kind_reference_W[segments[i].kind] * d;
  }
  books.gpu_in += sum_of(total_J, step);
  // Copies, because what is handed on could be written to behind the compiler's back, and then nothing is vectorised.
  const NodeLanes before = node;
  const Lanes air_then_K = air_K;
  const Modes end = z;
  store_package(state, step, before, air_then_K, end, books);
  Lanes heat_J{};
  for (std::size_t l = 0; l < max_gpu; ++l) heat_J[l] = m.sink_air_W_per_K * from_modes(m, 2, area, l);
  for (std::size_t l = 0; l < step.n_gpu; ++l) {
    const std::size_t g = step.first_gpu + l;
    const double mean_K = air_K[l] + node.r[l] * from_modes(m, 0, area, l) / step.step_s;
    // The mean moves by what one repetition moved the die, so the next one's is half of that further on.
    state.die_carry_K[g] = mean_K + 0.5 * (state.die_K[g] - node.die_K[l]);
    state.die_rate_K_per_s[g] = 0.0;
    state.die_mean_K[g] = mean_K;
    state.die_peak_K[g] = peak_K[l];
    signals.gpu_J[g] = total_J[l];
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
  std::vector<NodeBooks> books(task.n_node());
  std::vector<double> segment_W(task.n_node() * widest);
  parallel_ranges(task.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch s;
    for (std::size_t i = begin; i < end; ++i) {
      NodeStep step = make_node_step(fleet, task, i, seconds(task.timeline->period));
      s.used.clear();
      s.slot_of_kind.assign(n_kind, UINT32_MAX);
      for (const auto& seg : classes[step.cls]) {
        if (s.slot_of_kind[seg.kind] != UINT32_MAX) continue;
        s.slot_of_kind[seg.kind] = static_cast<std::uint32_t>(s.used.size());
        s.used.push_back(seg.kind);
      }
      step.set_fan(state.fan_frac[step.node], guess_K(state, step));
      step.set_rear(state.front_W[step.node], task.air_J_per_m3_K);
      gated_powers(fleet, state, signals, task, step, s.used, s.powers);
      play_node(fleet, state, signals, task, step, s, books[i], &segment_W[i * widest]);
    }
  });
  book(meters, books);
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) out[c].assign(classes[c].size(), 0.0);
  for (std::size_t n = 0; n < task.n_node(); ++n) {
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
