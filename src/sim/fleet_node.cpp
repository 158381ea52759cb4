#include "fleet_node.hpp"

#include <algorithm>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/dvfs/operating_point_batch.hpp"

namespace tidewatt::sim::detail {

void book(FleetMeters& meters, std::span<const NodeBooks> books) {
  for (const auto& b : books) {
    meters.gpu_in.add(b.gpu_in);
    meters.package_out.add(b.package_out);
    meters.package_stored.add(b.package_stored);
    meters.ac_in.add(b.ac_in);
    meters.conversion_loss.add(b.conversion);
    meters.host.add(b.host);
    meters.fan.add(b.fan);
    meters.psu_loss.add(b.psu);
    meters.air_out.add(b.package_out + b.conversion + b.host + b.fan + b.psu);
    meters.input_reference.add(b.reference);
    meters.smoothing_burn.add(b.burn);
  }
}

NodeStep make_node_step(const Fleet& fleet, const FleetTask& task, std::size_t i, double step_s) {
  const std::size_t n = task.first_node + i;
  NodeStep step{fleet.types[fleet.node_hall[n]], n, n * fleet.n_gpu_per_node, fleet.n_gpu_per_node, task.node_class[i], step_s};
  step.inlet_K = task.inlet_K[n];
  return step;
}

TIDEWATT_CLONES
void NodeStep::set_fan(double fan_now_frac, const Lanes& die_mean_K) {
  double hottest_K = die_mean_K[0];
  for (std::size_t l = 1; l < max_gpu; ++l) hottest_K = std::max(hottest_K, die_mean_K[l]);
  const double target = thermal::fan_target_frac(type.air, hottest_K);
  const double x = step_s / type.air.fan_lag_s;
  fan_end_frac = target + (fan_now_frac - target) * math::exp(-x);
  const std::size_t s = fan_step(target + (fan_now_frac - target) * math::mean_decay(x));
  fan_mean_frac = fan_frac_of(s);
  modes = &type.modes[s];
}

void NodeStep::set_rear(double front_W, double air_J_per_m3_K) {
  rear_K = inlet_K + thermal::rear_preheat_K(type.air, front_W, fan_mean_frac, air_J_per_m3_K);
}

namespace {

/// Who waits has power to spare and clocks higher than the slowest, unless heat or a lock holds it.
void wait_clocks(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                 const NodeStep& step, double gate_Hz) {
  const auto& type = step.type;
  const std::size_t first = step.first_gpu, n = step.n_gpu;
  const Lanes guess = guess_K(state, step);
  Lanes waiting_Hz, limit_W;
  bool waits = false;
  for (std::size_t l = 0; l < n; ++l) {
    waiting_Hz[l] = state.clock_Hz[first + l];
    waits = waits || (gate_Hz > 0.0 && signals.limiter[first + l] == dvfs::Limiter::power);
  }
  std::array<dvfs::Limiter, max_gpu> unused;
  limit_W.fill(type.cap_W - type.governor.cap_margin_W);
  if (waits)
    dvfs::operating_points(type.gpu, task.class_window[step.cls], task.reference_Hz, gate_Hz, type.clock_lock_Hz,
                           {{fleet.chip.data() + first, n}, {guess.data(), n}, {limit_W.data(), n},
                            {waiting_Hz.data(), n}, {unused.data(), n}});
  for (std::size_t l = 0; l < n; ++l)
    state.clock_Hz[first + l] = waits && signals.limiter[first + l] == dvfs::Limiter::power
                                    ? waiting_Hz[l]
                                    : std::max(state.own_Hz[first + l], gate_Hz);
}

/// Chip and voltage of a node's GPUs at their clocks; see dvfs::phase_power for the equation.
struct AtClock {
  Lanes dynamic_W, leakage_W, stretch;
};

TIDEWATT_INLINE AtClock at_clock(const Fleet& fleet, const NodeStep& step, const Lanes& clock_Hz, double reference_Hz) {
  const auto& gpu = step.type.gpu;
  AtClock out;
  Lanes offset_V, ratio;
  for (std::size_t l = 0; l < max_gpu; ++l) {
    const auto& chip = fleet.chip[step.first_gpu + (l < step.n_gpu ? l : 0)];
    offset_V[l] = chip.voltage_offset_V;
    ratio[l] = chip.leakage_ratio;
  }
  for (std::size_t l = 0; l < max_gpu; ++l) {
    const double V = gpu.voltage(clock_Hz[l]).V + offset_V[l];
    out.dynamic_W[l] = gpu.dynamic_W(V, clock_Hz[l]);
    out.leakage_W[l] = gpu.params().leakage_W * ratio[l] * gpu.leakage_voltage_factor(V);
    out.stretch[l] = reference_Hz / clock_Hz[l];
  }
  return out;
}

TIDEWATT_INLINE void fill(KindPower& out, const power::GpuPowerParams& p, const dvfs::PhaseMix& mix, const AtClock& at,
                          double reference_Hz, double gate_Hz) {
  const double gate_stretch = gate_Hz > 0.0 ? reference_Hz / gate_Hz : 0.0;
  const double other_s = mix.memory_s + mix.link_s + mix.wait_s;
  const double other_active_s = p.memory_activity * mix.memory_s + p.link_activity * mix.link_s + p.wait_activity * mix.wait_s;
  const double traffic_J = p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s;
  for (std::size_t l = 0; l < max_gpu; ++l) {
    const double busy_s = mix.matrix_s * at.stretch[l];
    const double slack_s = gate_stretch > 0.0 ? mix.matrix_s * gate_stretch - busy_s : 0.0;
    const double active_s = mix.active_matrix_s * at.stretch[l] + other_active_s + p.wait_activity * slack_s;
    out.fixed_W[l] = p.board_W + (at.dynamic_W[l] * active_s + traffic_J) / (busy_s + slack_s + other_s);
    out.leakage_W[l] = at.leakage_W[l];
  }
}

}  // namespace

TIDEWATT_CLONES
void gated_powers(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const NodeStep& step, std::span<const std::uint32_t> used, std::vector<KindPower>& powers) {
  const double gate_Hz = task.class_gate_Hz[step.cls];
  bool any_context = false, any_idle = false;
  for (const auto k : used) (task.kind_context[k] != 0 ? any_context : any_idle) = true;
  wait_clocks(fleet, state, signals, task, step, gate_Hz);
  AtClock working{}, idle{};
  if (any_context) working = at_clock(fleet, step, gather(state.clock_Hz, step), task.reference_Hz);
  if (any_idle) {
    Lanes idle_Hz;
    idle_Hz.fill(step.type.gpu.idle_clock_Hz());
    idle = at_clock(fleet, step, idle_Hz, task.reference_Hz);
  }
  powers.resize(used.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::uint32_t k = used[i];
    const bool context = task.kind_context[k] != 0;
    powers[i].low_W = task.kind_low_W[k];
    powers[i].high_W = task.kind_high_W[k];
    fill(powers[i], step.type.gpu.params(), task.kind_mix[k], context ? working : idle, task.reference_Hz, context ? gate_Hz : 0.0);
  }
}

TIDEWATT_CLONES
void store_package(FleetState& state, const NodeStep& step, const NodeLanes& before,
                   const Lanes& air_K, const Modes& end, NodeBooks& books) {
  const auto& m = *step.modes;
  const auto& pkg = step.type.package;
  Lanes die, base, sink, stored;
  for (std::size_t l = 0; l < max_gpu; ++l) {
    die[l] = air_K[l] + before.r[l] * from_modes(m, 0, end, l);
    base[l] = air_K[l] + before.r[l] * from_modes(m, 1, end, l);
    sink[l] = air_K[l] + before.r[l] * from_modes(m, 2, end, l);
    stored[l] = (pkg.die_J_per_K * (die[l] - before.die_K[l]) + pkg.base_J_per_K * (base[l] - before.base_K[l]) +
                 pkg.sink_J_per_K * (sink[l] - before.sink_K[l])) / before.r[l];
  }
  books.package_stored += sum_of(stored, step);
  for (std::size_t l = 0; l < step.n_gpu; ++l) {
    state.die_K[step.first_gpu + l] = die[l];
    state.base_K[step.first_gpu + l] = base[l];
    state.sink_K[step.first_gpu + l] = sink[l];
  }
}

void finish_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodeStep& step, NodeBooks& books,
                 const Lanes& heat_J) {
  books.package_out += sum_of(heat_J, step);
  state.front_W[step.node] = front_sum(heat_J, fleet, step) / step.step_s;
  state.fan_frac[step.node] = step.fan_end_frac;
  signals.node_air_W[step.node] =
      (books.package_out + books.conversion + books.host + books.fan + books.psu) / step.step_s;
  signals.node_flow_m3_per_s[step.node] = step.type.air.flow_m3_per_s * step.fan_mean_frac;
}

}  // namespace tidewatt::sim::detail
