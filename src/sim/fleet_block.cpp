#include "fleet_block.hpp"

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
    meters.air_out.add(b.air);
    meters.liquid_out.add(b.liquid);
    meters.input_reference.add(b.reference);
    meters.smoothing_burn.add(b.burn);
  }
}

namespace {

std::vector<Block> make_blocks(const Fleet& fleet, const FleetTask& task) {
  const std::size_t per_node = fleet.n_gpu_per_node, room = n_lane / per_node;
  const std::size_t n_type = fleet.types.size();
  std::uint32_t n_class = 0;
  for (const auto c : task.node_class) n_class = std::max(n_class, c + 1);
  // Open block of every class and type; a full one is closed by opening the next.
  std::vector<std::size_t> open(n_class * n_type, SIZE_MAX);
  std::vector<Block> out;
  out.reserve(task.n_node() / room + open.size());
  for (std::size_t i = 0; i < task.n_node(); ++i) {
    const std::size_t n = task.first_node + i, type = fleet.node_hall[n];
    auto& at = open[task.node_class[i] * n_type + type];
    if (at == SIZE_MAX || out[at].n_node == room) {
      at = out.size();
      out.emplace_back();
      out[at].type = &fleet.types[type];
      out[at].cls = task.node_class[i];
      out[at].n_gpu = per_node;
    }
    Block& b = out[at];
    b.index[b.n_node] = static_cast<std::uint32_t>(i);
    b.node[b.n_node] = static_cast<std::uint32_t>(n);
    for (std::size_t s = 0; s < per_node; ++s) {
      b.gpu[b.n_node * per_node + s] = static_cast<std::uint32_t>(n * per_node + s);
      b.owner[b.n_node * per_node + s] = static_cast<std::uint8_t>(b.n_node);
      b.rear[b.n_node * per_node + s] = fleet.rear(s) ? 1 : 0;
    }
    ++b.n_node;
  }
  for (auto& b : out)
    for (std::size_t l = b.n_used(); l < n_lane; ++l) {
      b.gpu[l] = b.gpu[0];
      b.owner[l] = b.rear[l] = 0;
    }
  return out;
}

}  // namespace

const std::vector<Block>& blocks_of(const Fleet& fleet, const FleetTask& task) {
  auto& kept = task.kept_blocks;
  const auto same = [&](const auto& list) { return list != nullptr && list->first_node == task.first_node && list->node_class == task.node_class; };
  if (!same(kept[0]) && same(kept[1])) std::swap(kept[0], kept[1]);
  if (!same(kept[0])) {
    kept[1] = std::move(kept[0]);
    kept[0] = std::make_shared<const BlockList>(BlockList{task.first_node, task.node_class, make_blocks(fleet, task)});
  }
  return kept[0]->blocks;
}

TIDEWATT_CLONES
Packages load_packages(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const Block& b) {
  return {gather(state.die_K.data(), b), gather(state.base_K.data(), b), gather(state.sink_K.data(), b),
          gather(fleet.resistance_ratio.data(), b), gather(signals.guess_K.data(), b)};
}

TIDEWATT_CLONES
void set_air(const FleetState& state, const FleetTask& task, const Block& b, double step_s,
             const Lanes& die_mean_K, const std::array<double, n_lane>& front_W, Air& air) {
  const auto& type = *b.type;
  const double x = step_s / type.air.fan_lag_s;
  const double end = math::exp(-x), mean = math::mean_decay(x);
  const thermal::PackageModes* modes[n_lane];
  std::array<double, n_lane> slope;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    double hottest_K = die_mean_K[i * b.n_gpu];
    for (std::size_t l = i * b.n_gpu; l < (i + 1) * b.n_gpu; ++l) hottest_K = die_mean_K[l] > hottest_K ? die_mean_K[l] : hottest_K;
    const double target = thermal::fan_target_frac(type.air, hottest_K), now = state.fan_frac[b.node[i]];
    air.fan_end_frac[i] = target + (now - target) * end;
    const std::size_t s = fan_step(target + (now - target) * mean);
    air.fan_mean_frac[i] = fan_frac_of(s);
    air.mode_step[i] = mode_step(type, air.fan_mean_frac[i], task.flow_frac.empty() ? 1.0 : task.flow_frac[b.node[i]]);
    modes[i] = &type.modes[air.mode_step[i]];
    const double moves = task.inlet_K_per_s.empty() ? 0.0 : task.inlet_K_per_s[b.node[i]];
    slope[i] = moves;
    air.inlet_K[i] = task.inlet_K[b.node[i]] + moves * (task.since_macro_s + 0.5 * step_s);
    air.rear_K[i] = air.inlet_K[i] + thermal::rear_preheat_K(type.air, front_W[i], air.fan_mean_frac[i], task.air_J_per_m3_K);
  }
  for (std::size_t l = 0; l < n_lane; ++l) {
    const std::size_t i = b.owner[l];
    air.air_K[l] = b.rear[l] != 0 ? air.rear_K[i] : air.inlet_K[i];
    air.air_K_per_s[l] = slope[i];
  }
  if (air.held_n_node == b.n_node && air.held_n_gpu == b.n_gpu && std::equal(modes, modes + b.n_node, air.held.begin())) return;
  air.held_n_node = b.n_node;
  air.held_n_gpu = b.n_gpu;
  std::copy_n(modes, b.n_node, air.held.begin());
  for (std::size_t l = 0; l < n_lane; ++l) air.sink_air_W_per_K[l] = modes[b.owner[l]]->sink_air_W_per_K;
  const auto spread = [&](auto&& value, Lanes& to) {
    for (std::size_t i = 0; i < b.n_node; ++i) {
      const double v = value(*modes[i]);
      if (b.n_gpu == n_usual) {
        for (std::size_t s = 0; s < n_usual; ++s) to[i * n_usual + s] = v;
        continue;
      }
      for (std::size_t l = i * b.n_gpu; l < (i + 1) * b.n_gpu; ++l) to[l] = v;
    }
    for (std::size_t l = b.n_used(); l < n_lane; ++l) to[l] = to[0];
  };
  for (std::size_t j = 0; j < n_mode; ++j) {
    spread([j](const auto& m) { return m.rate_per_s[j]; }, air.rate_per_s[j]);
    spread([j](const auto& m) { return m.gain_K_per_J[j]; }, air.gain_K_per_J[j]);
    for (std::size_t s = 0; s < 3; ++s) {
      spread([j, s](const auto& m) { return m.shape[s][j]; }, air.shape[s][j]);
      spread([j, s](const auto& m) { return m.inverse[j][s]; }, air.inverse[j][s]);
    }
  }
}

namespace {

/// Who waits has power to spare and clocks higher than the slowest, unless heat or a lock holds it.
Lanes wait_clocks(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const Block& b, const Lanes& guess, double gate_Hz) {
  const auto& type = *b.type;
  const Lanes own_Hz = gather(state.own_Hz.data(), b);
  Lanes clock_Hz;
  bool waits = false;
  std::array<bool, n_lane> waiting{};
  for (std::size_t l = 0; l < n_lane; ++l) {
    waiting[l] = gate_Hz > 0.0 && signals.limiter[b.gpu[l]] == dvfs::Limiter::power;
    waits = waits || waiting[l];
    clock_Hz[l] = own_Hz[l] > gate_Hz ? own_Hz[l] : gate_Hz;
  }
  if (waits) {
    Lanes search_Hz = gather(state.clock_Hz.data(), b), limit_W;
    std::array<power::Chip, n_lane> chip;
    std::array<dvfs::Limiter, n_lane> unused;
    for (std::size_t l = 0; l < n_lane; ++l) {
      chip[l] = fleet.chip[b.gpu[l]];
      limit_W[l] = type.cap_W - type.governor.cap_margin_W;
    }
    dvfs::operating_points(type.gpu, task.class_window[b.cls], task.reference_Hz, gate_Hz, task.clock_frac * type.clock_lock_Hz,
                           {chip, guess.x, limit_W.x, search_Hz.x, unused});
    for (std::size_t l = 0; l < n_lane; ++l)
      if (waiting[l]) clock_Hz[l] = search_Hz[l];
  }
  scatter(clock_Hz, b, state.clock_Hz.data());
  return clock_Hz;
}

/// Chip and voltage of a block's GPUs at their clocks; see dvfs::phase_power for the equation.
struct AtClock {
  Lanes dynamic_W, leakage_W, stretch;
};

TIDEWATT_CLONES
void at_clock(const Fleet& fleet, const Block& b, const Lanes& clock_Hz, double reference_Hz, AtClock& out) {
  const auto& gpu = b.type->gpu;
  Lanes offset_V, ratio, V;
  for (std::size_t l = 0; l < n_lane; ++l) {
    offset_V[l] = fleet.chip[b.gpu[l]].voltage_offset_V;
    ratio[l] = fleet.chip[b.gpu[l]].leakage_ratio;
  }
  for (std::size_t l = 0; l < n_lane; ++l) V[l] = gpu.voltage(clock_Hz[l]).V + offset_V[l];
  const auto& p = gpu.params();
  const double leakage_W = p.leakage_W, per_V = p.leakage_per_V, ref_V = p.voltage_ref_V;
  const double dynamic_W = p.dynamic_W, per_ref_V = 1.0 / p.voltage_ref_V, per_ref_Hz = 1.0 / p.dynamic_ref_Hz;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double v = V[l] * per_ref_V;
    out.dynamic_W[l] = dynamic_W * v * v * (clock_Hz[l] * per_ref_Hz);
    out.leakage_W[l] = leakage_W * ratio[l] * math::exp(per_V * (V[l] - ref_V));
    out.stretch[l] = reference_Hz / clock_Hz[l];
  }
}

/// A chip without a context has parts of itself gated off.
void rest(const Block& b, AtClock& at) {
  for (std::size_t l = 0; l < n_lane; ++l) at.leakage_W[l] *= b.type->gpu.params().rest_leakage_ratio;
}

TIDEWATT_CLONES
void fill(KindPower& out, const power::GpuPowerParams& p, const dvfs::PhaseMix& mix, const AtClock& at,
          double reference_Hz, double gate_Hz) {
  const double gated = gate_Hz > 0.0 ? 1.0 : 0.0;
  const double gate_stretch = gate_Hz > 0.0 ? reference_Hz / gate_Hz : 0.0;
  const double other_s = mix.memory_s + mix.link_s + mix.wait_s, matrix_s = mix.matrix_s, active_matrix_s = mix.active_matrix_s;
  const double other_active_s = p.memory_activity * mix.memory_s + p.link_activity * mix.link_s + p.wait_activity * mix.wait_s;
  const double traffic_J = p.hbm_W * mix.hbm_s + p.link_W * mix.full_link_s, wait = p.wait_activity, board_W = p.board_W;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double busy_s = matrix_s * at.stretch[l];
    const double slack_s = gated * (matrix_s * gate_stretch - busy_s);
    const double active_s = active_matrix_s * at.stretch[l] + other_active_s + wait * slack_s;
    out.fixed_W[l] = board_W + (at.dynamic_W[l] * active_s + traffic_J) / (busy_s + slack_s + other_s);
    out.leakage_W[l] = at.leakage_W[l];
  }
}

}  // namespace

void gated_powers(const Fleet& fleet, FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const Block& b, const Lanes& guess, std::span<const std::uint32_t> used, std::vector<KindPower>& powers) {
  const double gate_Hz = task.class_gate_Hz[b.cls];
  bool any_context = false, any_idle = false;
  for (const auto k : used) (task.kind_context[k] != 0 ? any_context : any_idle) = true;
  const Lanes clock_Hz = wait_clocks(fleet, state, signals, task, b, guess, gate_Hz);
  AtClock working, idle;
  if (any_context) at_clock(fleet, b, clock_Hz, task.reference_Hz, working);
  if (any_idle) {
    Lanes idle_Hz;
    std::fill_n(idle_Hz.x, n_lane, b.type->gpu.idle_clock_Hz());
    at_clock(fleet, b, idle_Hz, task.reference_Hz, idle);
    rest(b, idle);
  }
  powers.resize(used.size());
  bool any_off = false;
  for (std::size_t i = 0; i < b.n_node && !state.off.empty(); ++i) any_off = any_off || state.off[b.node[i]] != 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::uint32_t k = used[i];
    const bool context = task.kind_context[k] != 0;
    powers[i].low_W = task.kind_low_W[k];
    powers[i].high_W = task.kind_high_W[k];
    fill(powers[i], b.type->gpu.params(), task.kind_mix[k], context ? working : idle, task.reference_Hz, context ? gate_Hz : 0.0);
    for (std::size_t l = 0; l < n_lane && any_off; ++l)
      if (state.off[b.node[b.owner[l]]] != 0) powers[i].fixed_W[l] = powers[i].leakage_W[l] = 0.0;
  }
}

KindPower pause_powers(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, const Lanes& die_K) {
  const auto& type = *b.type;
  const std::uint32_t k = task.pause_kind;
  Lanes clock_Hz;
  if (task.kind_context[k] != 0) {
    clock_Hz = gather(state.own_Hz.data(), b);
    Lanes limit_W;
    std::fill_n(limit_W.x, n_lane, type.cap_W - type.governor.cap_margin_W);
    std::array<power::Chip, n_lane> chip;
    std::array<dvfs::Limiter, n_lane> unused;
    for (std::size_t l = 0; l < n_lane; ++l) chip[l] = fleet.chip[b.gpu[l]];
    dvfs::operating_points(type.gpu, task.kind_mix[k], task.reference_Hz, 0.0, type.clock_lock_Hz, {chip, die_K.x, limit_W.x, clock_Hz.x, unused});
  } else {
    std::fill_n(clock_Hz.x, n_lane, type.gpu.idle_clock_Hz());
  }
  AtClock at;
  at_clock(fleet, b, clock_Hz, task.reference_Hz, at);
  if (task.kind_context[k] == 0) rest(b, at);
  KindPower out;
  out.low_W = task.kind_low_W[k];
  out.high_W = task.kind_high_W[k];
  fill(out, type.gpu.params(), task.kind_mix[k], at, task.reference_Hz, 0.0);
  return out;
}

// Repetitions leave a mode `ripple` away from where their mean power would, so z1 = steady + ripple + e^{−λt}(z0 − steady −
// ripple); the area under the mode follows from its balance.
TIDEWATT_CLONES
Lanes linear_mean_K(const Packages& before, const Air& air, const Lanes& mean_W, const Modes& ripple_K, double step_s, Lanes& heat_J) {
  const Modes start = to_modes(before, air, step_s);
  Lanes die_Ks{}, sink_Ks{}, out;
  for (std::size_t j = 0; j < n_mode; ++j)
    for (std::size_t l = 0; l < n_lane; ++l) {
      const double rate = air.rate_per_s[j][l], drive = std::fma(air.gain_K_per_J[j][l], mean_W[l], air_drive(air, j, l, before.r[l]));
      const double steady = drive / rate + ripple_K[j][l], moved = (steady - start[j][l]) * (1.0 - math::exp(-rate * step_s));
      const double area = (drive * step_s - moved) / rate;
      die_Ks[l] = std::fma(air.shape[0][j][l], area, die_Ks[l]);
      sink_Ks[l] = std::fma(air.shape[2][j][l], area, sink_Ks[l]);
    }
  for (std::size_t l = 0; l < n_lane; ++l) {
    out[l] = air.air_K[l] + before.r[l] * die_Ks[l] / step_s;
    heat_J[l] = air.sink_air_W_per_K[l] * sink_Ks[l];
  }
  return out;
}

TIDEWATT_CLONES
void add_dip(Lanes& die_K, const Lanes& r, double dip_K) {
  for (std::size_t l = 0; l < n_lane; ++l) die_K[l] = std::fma(dip_K, r[l], die_K[l]);
}

/// Twice, because fans and the rear inlet follow the temperatures that come out.
TIDEWATT_CLONES
Prediction predicted(const Fleet& fleet, const FleetState& state, const FleetTask& task, const Block& b, double step_s, Air& air) {
  const Packages p{gather(state.die_K.data(), b), gather(state.base_K.data(), b), gather(state.sink_K.data(), b),
                   gather(fleet.resistance_ratio.data(), b), {}};
  const Lanes mean_W = gather(state.mean_W.data(), b);
  Prediction out{gather(state.die_mean_K.data(), b), {}};
  for (std::size_t i = 0; i < b.n_node; ++i) out.front_W[i] = state.front_W[b.node[i]];
  Lanes heat_J;
  Modes ripple_K{};
  if (!task.slice && task.repeats)
    for (std::size_t j = 0; j < n_mode; ++j) ripple_K[j] = gather(state.ripple_K[j].data(), b);
  constexpr double still_K = 0.05;
  for (int i = 0; i < 2; ++i) {
    set_air(state, task, b, step_s, out.die_K, out.front_W, air);
    const Lanes assumed_K = out.die_K;
    out.die_K = linear_mean_K(p, air, mean_W, ripple_K, step_s, heat_J);
    out.front_W = front_W(fleet, b, heat_J, step_s);
    if (largest_gap(out.die_K, assumed_K, 0, b.n_used()) <= still_K) break;
  }
  if (task.dip_K != 0.0) add_dip(out.die_K, p.r, task.dip_K);
  return out;
}

TIDEWATT_CLONES
void store_packages(FleetState& state, const Block& b, const Packages& before, const Air& air, const Modes& end,
                    double step_s, NodeBooks* books) {
  const auto& pkg = b.type->package;
  const double die_J_per_K = pkg.die_J_per_K, base_J_per_K = pkg.base_J_per_K, sink_J_per_K = pkg.sink_J_per_K;
  Lanes die, base, sink, stored;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double air_K = std::fma(0.5 * step_s, air.air_K_per_s[l], air.air_K[l]);
    die[l] = air_K + before.r[l] * from_modes(air, 0, end, l);
    base[l] = air_K + before.r[l] * from_modes(air, 1, end, l);
    sink[l] = air_K + before.r[l] * from_modes(air, 2, end, l);
    stored[l] = (die_J_per_K * (die[l] - before.die_K[l]) + base_J_per_K * (base[l] - before.base_K[l]) +
                 sink_J_per_K * (sink[l] - before.sink_K[l])) / before.r[l];
  }
  for (std::size_t i = 0; i < b.n_node; ++i) books[b.index[i]].package_stored += sum_of(stored, b, i);
  scatter(die, b, state.die_K.data());
  scatter(base, b, state.base_K.data());
  scatter(sink, b, state.sink_K.data());
}

std::array<double, n_lane> front_W(const Fleet& fleet, const Block& b, const Lanes& heat_J, double step_s) {
  std::array<double, n_lane> out;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    double J = 0.0;
    for (std::size_t s = 0; s < b.n_gpu; ++s)
      if (!fleet.rear(s)) J += heat_J[i * b.n_gpu + s];
    out[i] = J / step_s;
  }
  return out;
}

void finish_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const Block& b, const Air& air,
                  double step_s, const Lanes& heat_J, NodeBooks* books) {
  const auto front = front_W(fleet, b, heat_J, step_s);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    auto& k = books[b.index[i]];
    k.package_out += sum_of(heat_J, b, i);
    state.front_W[b.node[i]] = front[i];
    state.fan_frac[b.node[i]] = air.fan_end_frac[i];
    const auto& liquid = b.type->liquid;
    const double taken = liquid ? b.type->to_liquid[air.mode_step[i]] : 0.0;
    const double gpu_frac = liquid ? taken * liquid->capture.gpu_liquid_frac : 0.0;
    const double host_frac = liquid ? taken * liquid->capture.host_liquid_frac : 0.0;
    k.air = (1.0 - gpu_frac) * k.package_out + k.conversion + (1.0 - host_frac) * k.host + k.fan + k.psu;
    k.liquid = gpu_frac * k.package_out + host_frac * k.host;
    signals.node_air_W[b.node[i]] = k.air / step_s;
    if (liquid) signals.node_liquid_W[b.node[i]] = k.liquid / step_s;
    signals.node_flow_m3_per_s[b.node[i]] = b.type->air.flow_m3_per_s * air.fan_mean_frac[i];
  }
}

}  // namespace tidewatt::sim::detail
