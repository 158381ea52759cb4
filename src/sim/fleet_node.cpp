#include "fleet_node.hpp"

#include <algorithm>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

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

TIDEWATT_CLONES
void NodeStep::set_fan(double fan_now_frac, std::span<const double> die_mean_K) {
  const double hottest_K = *std::max_element(die_mean_K.begin(), die_mean_K.end());
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

TIDEWATT_CLONES
void gated_powers(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task,
                  const NodeStep& step, std::span<const std::uint32_t> used, std::vector<KindPower>& powers) {
  const auto& type = step.type;
  const auto& gpu = type.gpu;
  const double gate_Hz = task.class_gate_Hz[step.cls];
  const double lock_Hz = type.clock_lock_Hz;
  powers.resize(step.n_gpu * used.size());
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
    const std::size_t g = step.first_gpu + slot;
    const auto& chip = fleet.chip[g];
    double clock_Hz = std::max(signals.own_Hz[g], gate_Hz);
    // Whoever waits has power to spare and clocks higher, unless heat or a lock holds it.
    if (gate_Hz > 0.0 && signals.limiter[g] == dvfs::Limiter::power) {
      const double factor = gpu.leakage_temperature_factor(state.die_mean_K[g]);
      const auto p = dvfs::operating_point(gpu, chip, task.class_window[step.cls], task.reference_Hz, gate_Hz, factor,
                                           type.cap_W - type.governor.cap_margin_W, lock_Hz, clock_Hz * 1.01);
      clock_Hz = p.clock_Hz;
    }
    state.clock_Hz[g] = clock_Hz;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::uint32_t k = used[i];
      const bool context = task.kind_context[k] != 0;
      const double f = context ? clock_Hz : gpu.idle_clock_Hz();
      const auto p = dvfs::phase_power(gpu, chip, task.kind_mix[k], task.reference_Hz, f, context ? gate_Hz : 0.0);
      powers[slot * used.size() + i] = {p.fixed_W, p.leakage_W, task.kind_low_W[k], task.kind_high_W[k]};
    }
  }
}

void finish_node(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodeStep& step, NodeBooks& books,
                 const Lanes& heat_J) {
  double front_J = 0.0;
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
    books.package_out += heat_J[slot];
    if (!fleet.rear(slot)) front_J += heat_J[slot];
  }
  state.front_W[step.node] = front_J / step.step_s;
  state.fan_frac[step.node] = step.fan_end_frac;
  signals.node_air_W[step.node] =
      (books.package_out + books.conversion + books.host + books.fan + books.psu) / step.step_s;
  signals.node_flow_m3_per_s[step.node] = step.type.air.flow_m3_per_s * step.fan_mean_frac;
}

}  // namespace tidewatt::sim::detail
