#include <algorithm>

#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

/// What one segment's length makes of the modes: e^{−λd/2}, e^{−λd}, and the drives of the half and the whole.
struct SegmentModes {
  std::array<Lanes, n_mode> half_decay, half_drive, decay, drive;
};

TIDEWATT_CLONES
void segment_modes(const Air& air, double d, SegmentModes& out) {
  for (std::size_t j = 0; j < n_mode; ++j)
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double x = 0.5 * d * air.rate_per_s[j][l];
      const double half = math::exp(-x), mean = math::mean_decay(x);
      out.half_decay[j][l] = half;
      out.half_drive[j][l] = air.gain_K_per_J[j][l] * (0.5 * d) * mean;
      // Over the whole segment: decay = half², mean = half's mean (1 + half)/2.
      out.decay[j][l] = half * half;
      out.drive[j][l] = air.gain_K_per_J[j][l] * d * mean * (0.5 + 0.5 * half);
    }
}

/// All GPUs of a block through one segment. `z` holds the modes, advanced in place; `watts` receives the power.
/// Leakage at the segment's middle, predicted with the power at its start: second order.
TIDEWATT_CLONES
void step_segment(const power::GpuPowerParams& gpu, const Air& air, const Lanes& r, const KindPower& p, double d,
                  const SegmentModes& m, Modes& z, Modes& area, Lanes& watts, Lanes& peak_K) {
  const double k_T = gpu.leakage_per_K, T_ref = gpu.leakage_ref_K;
  Lanes middle{};
  for (std::size_t l = 0; l < n_lane; ++l)
    watts[l] = p.at(l, math::exp(k_T * (std::fma(r[l], from_modes(air, 0, z, l), air.air_K[l]) - T_ref)));
  for (std::size_t j = 0; j < n_mode; ++j)
    for (std::size_t l = 0; l < n_lane; ++l)
      middle[l] = std::fma(air.shape[0][j][l], std::fma(m.half_decay[j][l], z[j][l], m.half_drive[j][l] * watts[l]), middle[l]);
  for (std::size_t l = 0; l < n_lane; ++l)
    watts[l] = p.at(l, math::exp(k_T * (std::fma(r[l], middle[l], air.air_K[l]) - T_ref)));
  for (std::size_t j = 0; j < n_mode; ++j)
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double next = std::fma(m.decay[j][l], z[j][l], m.drive[j][l] * watts[l]);
      area[j][l] += (air.gain_K_per_J[j][l] * d * watts[l] - (next - z[j][l])) / air.rate_per_s[j][l];
      z[j][l] = next;
    }
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double end_K = std::fma(r[l], from_modes(air, 0, z, l), air.air_K[l]);
    peak_K[l] = peak_K[l] > end_K ? peak_K[l] : end_K;
  }
}

struct Scratch {
  std::vector<std::uint32_t> used, slot_of_kind;
  std::vector<KindPower> powers;
  Air air;
};

void book_segment(const Block& b, const FleetTask& task, const Scratch& s, const KindPower& kind, const Packages& before,
                  const workload::Segment& segment, std::size_t i, const Lanes& watts, NodeBooks* books, double* segment_W,
                  std::size_t widest) {
  const double d = seconds(segment.duration);
  const bool busy = task.class_busy[b.cls] != 0;
  for (std::size_t n = 0; n < b.n_node; ++n) {
    NodeBooks& book = books[b.index[n]];
    if (kind.low_W > 0.0)
      for (std::size_t l = n * b.n_gpu; l < (n + 1) * b.n_gpu; ++l)
        book.burn += std::max(0.0, watts[l] - kind.natural(l, b.type->gpu.leakage_temperature_factor(before.guess_K[l]))) * d;
    const auto p = power::server_power(b.type->server, sum_of(watts, b, n), s.air.fan_mean_frac[n], busy);
    segment_W[b.index[n] * widest + i] = p.ac_W;
    book.ac_in += p.ac_W * d;
    book.conversion += p.conversion_W * d;
    book.host += p.host_W * d;
    book.fan += p.fan_W * d;
    book.psu += p.psu_W * d;
    book.reference += task.kind_reference_W[segment.kind] * d;
  }
}

void play_block(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, const Block& b,
                Scratch& s, NodeBooks* books, double* segment_W, std::size_t widest) {
  const auto& segments = task.timeline->classes[b.cls];
  const double step_s = seconds(task.timeline->period);
  const Packages before = load_packages(fleet, state, b, step_s);
  std::array<double, n_lane> front;
  for (std::size_t i = 0; i < b.n_node; ++i) front[i] = state.front_W[b.node[i]];
  set_air(fleet, state, task, b, step_s, before.guess_K, front, s.air);
  s.air.air_K_per_s = {};  // within one iteration the mean will do
  gated_powers(fleet, state, signals, task, b, before.guess_K, s.used, s.powers);
  Modes z = to_modes(before, s.air, step_s), area{};
  Lanes peak_K = before.die_K, total_J{}, watts;
  SegmentModes modes;
  Tick last = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double d = seconds(segments[i].duration);
    if (segments[i].duration != last) segment_modes(s.air, d, modes);
    last = segments[i].duration;
    const KindPower& kind = s.powers[s.slot_of_kind[segments[i].kind]];
    step_segment(b.type->gpu.params(), s.air, before.r, kind, d, modes, z, area, watts, peak_K);
    for (std::size_t l = 0; l < n_lane; ++l) total_J[l] += watts[l] * d;
    book_segment(b, task, s, kind, before, segments[i], i, watts, books, segment_W, widest);
  }
  store_packages(state, b, before, s.air, z, step_s, books);
  Lanes heat_J;
  for (std::size_t l = 0; l < n_lane; ++l) heat_J[l] = s.air.sink_air_W_per_K[l] * from_modes(s.air, 2, area, l);
  for (std::size_t l = 0; l < b.n_used(); ++l) {
    const std::size_t g = b.gpu[l];
    const double mean_K = s.air.air_K[l] + before.r[l] * from_modes(s.air, 0, area, l) / step_s;
    // The mean moves by what one repetition moved the die, so the next one's is half of that further on.
    state.die_carry_K[g] = mean_K + 0.5 * (state.die_K[g] - before.die_K[l]);
    state.die_rate_K_per_s[g] = 0.0;
    state.die_mean_K[g] = mean_K;
    state.die_peak_K[g] = peak_K[l];
    signals.gpu_J[g] = total_J[l];
  }
  for (std::size_t i = 0; i < b.n_node; ++i) books[b.index[i]].gpu_in += sum_of(total_J, b, i);
  finish_nodes(fleet, state, signals, b, s.air, step_s, heat_J, books);
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
  const auto blocks = make_blocks(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch s;
    for (std::size_t i = begin; i < end; ++i) {
      s.used.clear();
      s.slot_of_kind.assign(n_kind, UINT32_MAX);
      for (const auto& seg : classes[blocks[i].cls]) {
        if (s.slot_of_kind[seg.kind] != UINT32_MAX) continue;
        s.slot_of_kind[seg.kind] = static_cast<std::uint32_t>(s.used.size());
        s.used.push_back(seg.kind);
      }
      play_block(fleet, state, signals, task, blocks[i], s, books.data(), segment_W.data(), widest);
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
