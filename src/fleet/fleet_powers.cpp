// Clocks with waiting, and the power of a block's GPUs at them.
#include <algorithm>
#include <utility>

#include "dvfs/operating_point_batch.hpp"
#include "dvfs/phase_law.hpp"
#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

namespace {

using Chips = std::array<power::Chip, n_lane>;

/// Which GPUs wait at a clock of their own, and up to which power they may.
struct Waiting {
  Lanes limit_W;
  std::array<std::uint8_t, n_lane> waits;
  bool any;
};
TIDEWATT_CLONES
void find_waiting(const FleetState& state, const FleetSignals& signals, const FleetTask& task, const Block& b,
                  double cap_W, Waiting& out) {
  using dvfs::Limiter;
  const Limiter target_by = state.controls[b.hall].target_by;
  std::array<Limiter, n_lane> by;
  gather_each(signals.limiter.data(), b, by.data());
  std::uint8_t any = 0;
  for (std::size_t l = 0; l < n_lane; ++l) {
    out.waits[l] = static_cast<std::uint8_t>(int{by[l] == Limiter::power} | int{by[l] == target_by});
    any |= out.waits[l];
  }
  out.any = any != 0;
  out.limit_W = gather(state.window_W.data(), b);
  if (task.class_course.empty()) return;
  // By power: what its limiter lets through while it waits, below.
  for (std::size_t l = 0; l < n_lane; ++l) out.limit_W[l] = by[l] == Limiter::power ? cap_W : out.limit_W[l];
}

/// A GPU that waits has spare power and runs at a higher clock than the slowest, up to its power or thermal limit, unless a lock
/// limits
/// it.
TIDEWATT_CLONES
void wait_clocks(FleetState& state, const FleetSignals& signals, const FleetTask& task, const Block& b,
                 const Chips& chip, const Lanes& guess, double gate_Hz, Lanes& clock_Hz) {
  const auto& type = *b.type;
  clock_Hz = gather(state.own_Hz.data(), b);
  for (std::size_t l = 0; l < n_lane; ++l) clock_Hz[l] = clock_Hz[l] > gate_Hz ? clock_Hz[l] : gate_Hz;
  if (gate_Hz > 0.0) {
    const double cap_W = dvfs::limit_W(state.controls[b.hall].cap_W, type.governor);
    Waiting waiting;
    find_waiting(state, signals, task, b, cap_W, waiting);
    if (waiting.any) {
      Lanes search_Hz = gather(state.clock_Hz.data(), b);
      std::array<dvfs::Limiter, n_lane> unused;
      const std::size_t n = b.n_used();
      dvfs::OperatingPointBatch batch{
          std::span(chip).first(n), {guess.x, n}, {waiting.limit_W.x, n}, {search_Hz.x, n}, std::span(unused).first(n)};
      set_falling(task, b.cls, cap_W, batch);
      dvfs::operating_points(type.gpu, task.class_window[b.cls], task.reference_Hz, gate_Hz,
                             task.clock_frac * state.controls[b.hall].lock_Hz, batch);
      for (std::size_t l = 0; l < n_lane; ++l) clock_Hz[l] = waiting.waits[l] != 0 ? search_Hz[l] : clock_Hz[l];
    }
  }
  scatter(clock_Hz, b, state.clock_Hz.data());
}

/// Chip and voltage of a block's GPUs at their clocks; see dvfs::phase_power for the equation.
struct AtClock {
  Lanes clock_Hz, dynamic_W, leakage_W, stretch;
};

TIDEWATT_CLONES
void at_clock(const power::GpuModel& gpu, const Chips& chip, const Lanes& clock_Hz, double reference_Hz, AtClock& out) {
  const auto grid = gpu.grid();
  out.clock_Hz = clock_Hz;
  Lanes V;
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) V[l] = grid.voltage_at(clock_Hz[l]).V + chip[l].voltage_offset_V;
  const power::SwitchingLaw switching = gpu.switching();
  const power::LeakageLaw leakage = gpu.leakage();
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    out.dynamic_W[l] = switching.multiplied_W(V[l], clock_Hz[l]);
    out.leakage_W[l] = leakage.ref_W * chip[l].leakage_ratio * leakage.voltage_factor(V[l]);
    out.stretch[l] = reference_Hz / clock_Hz[l];
  }
}

/// Without a context nothing in a chip switches, and parts of it are gated off.
void rest(const Block& b, AtClock& at) {
  std::fill_n(at.dynamic_W.x, n_lane, 0.0);
  for (std::size_t l = 0; l < n_lane; ++l) at.leakage_W[l] *= b.type->gpu.params().rest_leakage_ratio;
}

/// See dvfs::phase_power. A gated GPU takes as long as the slowest: it waits for the rest of the phase.
TIDEWATT_CLONES
void fill(KindPower& out, const power::GpuPowerParams& p, const dvfs::PhaseMix& work, const KindCourse& course,
          const AtClock& at, double reference_Hz, double gate_Hz) {
  dvfs::PhaseMix mix = work;  // its own clock is another pace
  mix.matrix_s /= course.nominal.clock;
  mix.active_matrix_s /= course.nominal.clock;
  const dvfs::ActivityLaw activity(p);
  auto line = dvfs::PhaseLine::of(activity, mix);
  const double traffic_J = dvfs::transfer_J(p, mix), board_W = p.board_W;
  const auto [below, above] = std::pair(course.below, course.above);
  const double nominal_Hz = course.nominal_Hz, dynamic = course.nominal.dynamic, leakage = course.nominal.leakage;
  Lanes dynamic_W;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double more_Hz = at.clock_Hz[l] - nominal_Hz, less_Hz = more_Hz < 0.0 ? more_Hz : 0.0,
                 over_Hz = more_Hz - less_Hz;
    out.leakage_W[l] =
        at.leakage_W[l] * std::fma(below.leakage_per_Hz, less_Hz, std::fma(above.leakage_per_Hz, over_Hz, leakage));
    dynamic_W[l] =
        at.dynamic_W[l] * std::fma(below.dynamic_per_Hz, less_Hz, std::fma(above.dynamic_per_Hz, over_Hz, dynamic));
  }
  if (gate_Hz > 0.0) {
    line = line.gated(activity, mix.matrix_s * (reference_Hz / gate_Hz));
    const double per_s = 1.0 / line.other_s;
    for (std::size_t l = 0; l < n_lane; ++l)
      out.fixed_W[l] = board_W + std::fma(dynamic_W[l], line.equivalent_s(at.stretch[l]), traffic_J) * per_s;
    return;
  }
  for (std::size_t l = 0; l < n_lane; ++l)
    out.fixed_W[l] =
        board_W + std::fma(dynamic_W[l], line.equivalent_s(at.stretch[l]), traffic_J) / line.duration_s(at.stretch[l]);
}

}  // namespace

void gated_powers(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const Block& b, const Lanes& guess, std::span<const std::uint32_t> used,
                  std::vector<KindPower>& powers) {
  const double gate_Hz = task.class_gate_Hz[b.cls];
  bool any_context = false, any_idle = false;
  for (const auto k : used) (task.kind_context[k] != 0 ? any_context : any_idle) = true;
  Chips chip;
  gather_each(fleet.chip.data(), b, chip.data());
  Lanes clock_Hz;
  wait_clocks(state, signals, task, b, chip, guess, gate_Hz, clock_Hz);
  AtClock working, idle;
  if (any_context) at_clock(b.type->gpu, chip, clock_Hz, task.reference_Hz, working);
  if (any_idle) {
    Lanes idle_Hz;
    std::fill_n(idle_Hz.x, n_lane, b.type->gpu.idle_clock_Hz());
    at_clock(b.type->gpu, chip, idle_Hz, task.reference_Hz, idle);
    rest(b, idle);
  }
  powers.resize(used.size());
  const bool any_off = task.dark || any_node_off(state, b);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::uint32_t k = used[i];
    const bool context = task.kind_context[k] != 0;
    powers[i].low_W = task.kind_low_W[k];
    powers[i].high_W = task.kind_high_W[k];
    fill(powers[i], b.type->gpu.params(), task.kind_mix[k], kind_course(task, b.cls, k), context ? working : idle,
         task.reference_Hz, context ? gate_Hz : 0.0);
    for (std::size_t l = 0; l < n_lane && any_off; ++l)
      if (task.dark || state.off[b.node[b.owner[l]]] != 0) powers[i].fixed_W[l] = powers[i].leakage_W[l] = 0.0;
  }
}

KindPower pause_powers(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b,
                       const Lanes& die_K) {
  const auto& type = *b.type;
  const std::uint32_t k = task.pause_kind;
  Chips chip;
  gather_each(fleet.chip.data(), b, chip.data());
  Lanes clock_Hz;
  if (task.kind_context[k] != 0) {
    clock_Hz = gather(state.own_Hz.data(), b);
    Lanes limit_W;
    std::fill_n(limit_W.x, n_lane, dvfs::limit_W(state.controls[b.hall].cap_W, type.governor));
    std::array<dvfs::Limiter, n_lane> unused;
    dvfs::operating_points(type.gpu, task.kind_mix[k], task.reference_Hz, 0.0, state.controls[b.hall].lock_Hz,
                           {std::span(chip).first(b.n_used()),
                            {die_K.x, b.n_used()},
                            {limit_W.x, b.n_used()},
                            {clock_Hz.x, b.n_used()},
                            std::span(unused).first(b.n_used())});
  } else {
    std::fill_n(clock_Hz.x, n_lane, type.gpu.idle_clock_Hz());
  }
  AtClock at;
  at_clock(type.gpu, chip, clock_Hz, task.reference_Hz, at);
  if (task.kind_context[k] == 0) rest(b, at);
  KindPower out;
  out.low_W = task.kind_low_W[k];
  out.high_W = task.kind_high_W[k];
  fill(out, type.gpu.params(), task.kind_mix[k], {}, at, task.reference_Hz, 0.0);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
