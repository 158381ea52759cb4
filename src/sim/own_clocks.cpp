#include <algorithm>

#include "base/parallel.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using namespace detail;

/// Mean powers that keep every die below its thermal target until the step's end, at most the cap: the power that brings
/// the die to its limit after `ahead_s` from the package's present state,
/// T(t) = T_air + r Σ shape (z0 e^{−λt} + g P (1 − e^{−λt})/λ).
TIDEWATT_CLONES
Lanes heat_limits_W(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task,
                    const Block& b, double ahead_s, double cap_W) {
  const Packages p = load_packages(fleet, state, signals, b);
  std::array<double, n_lane> front, fan_before;
  for (std::size_t i = 0; i < b.n_node; ++i) {
    front[i] = state.front_W[b.node[i]];
    fan_before[i] = signals.fan_before_frac[b.node[i]];
  }
  Air air;
  set_air(state, task, b, ahead_s, p.r, fan_before, p.guess_K, front, air);
  Above x;
  above_air(p, air, ahead_s, x);
  Lanes limit_W;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const auto& m = *air.modes[b.owner[l]];
    const double above_K = state.die_peak_K[b.gpu[l]] - state.die_mean_K[b.gpu[l]];
    const double limit_K = state.controls[b.hall].target_K - (above_K > 0.0 ? above_K : 0.0);
    double rest = 0.0, per_W = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double y = m.rate_per_s[j] * ahead_s;
      const double z0 =
          std::fma(m.inverse[j][0], x[0][l], std::fma(m.inverse[j][1], x[1][l], m.inverse[j][2] * x[2][l]));
      rest += m.shape[0][j] * z0 * math::exp(-y);
      per_W += m.shape[0][j] * m.gain_K_per_J[j] * ahead_s * math::mean_decay(y);
    }
    const double W = ((limit_K - air.air_K[l]) / p.r[l] - rest) / per_W;
    limit_W[l] = W < cap_W ? W : cap_W;
  }
  return limit_W;
}

void block_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, const Block& b,
                      FleetSignals& signals) {
  const auto& type = *b.type;
  const auto& gov = type.governor;
  const auto& held = state.controls[b.hall];
  const double cap_W = held.cap_W - gov.cap_margin_W;
  const Lanes guess = gather(signals.guess_K.data(), b);
  Lanes limit_W, clock_Hz = gather(state.own_Hz.data(), b);
  // Only dies near their target can be limited by it within a step.
  if (*std::max_element(guess.x, guess.x + n_lane) > held.target_K - 15.0)
    limit_W = heat_limits_W(fleet, state, signals, task, b, ahead_s, cap_W);
  else
    std::fill_n(limit_W.x, n_lane, cap_W);
  std::array<power::Chip, n_lane> chip;
  std::array<dvfs::Limiter, n_lane> limiter;
  for (std::size_t l = 0; l < n_lane; ++l) chip[l] = fleet.chip[b.gpu[l]];
  dvfs::operating_points(type.gpu, task.class_window[b.cls], task.reference_Hz, 0.0, task.clock_frac * held.lock_Hz,
                         {chip, guess.x, limit_W.x, clock_Hz.x, limiter});
  for (std::size_t l = 0; l < b.n_used(); ++l) {
    if (limiter[l] == dvfs::Limiter::power && limit_W[l] < cap_W) limiter[l] = held.target_by;
    if (limiter[l] == dvfs::Limiter::clock && task.clock_frac == 1.0) limiter[l] = held.lock_by;
    if (guess[l] > gov.slowdown_K) {
      clock_Hz[l] = std::min(clock_Hz[l], gov.slowdown_clock_ratio * type.gpu.clock_max_Hz());
      limiter[l] = dvfs::Limiter::slowdown;
    }
    state.own_Hz[b.gpu[l]] = clock_Hz[l];
    signals.limiter[b.gpu[l]] = limiter[l];
  }
}

void predict_block(const Fleet& fleet, FleetState& state, const FleetTask& task, std::span<const double> nominal_W,
                   double ahead_s, const Block& b, Air& air, FleetSignals& signals) {
  for (std::size_t l = 0; l < b.n_used(); ++l)
    if (double& W = state.mean_W[b.gpu[l]]; W == 0.0) W = nominal_W[b.cls];
  const Prediction p = predicted(fleet, state, task, b, ahead_s, air);
  scatter(p.die_K, b, signals.guess_K.data());
  for (std::size_t n = 0; n < b.n_node; ++n) {
    signals.guess_front_W[b.node[n]] = p.front_W[n];
    signals.fan_before_frac[b.node[n]] = p.fan_before_frac[n];
  }
}

}  // namespace

void predict(const Fleet& fleet, FleetState& state, const FleetTask& task, std::span<const double> nominal_W,
             double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Air air;
    for (std::size_t i = begin; i < end; ++i)
      predict_block(fleet, state, task, nominal_W, ahead_s, blocks[i], air, signals);
  });
}

void own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) block_own_clocks(fleet, state, task, ahead_s, blocks[i], signals);
  });
}

void predict_with_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task,
                             std::span<const double> nominal_W, double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Air air;
    for (std::size_t i = begin; i < end; ++i) {
      predict_block(fleet, state, task, nominal_W, ahead_s, blocks[i], air, signals);
      block_own_clocks(fleet, state, task, ahead_s, blocks[i], signals);
    }
  });
}

void idle_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, FleetSignals& signals) {
  for (std::size_t n = task.first_node; n < task.first_node + n_node_of(task); ++n)
    for (std::size_t g = n * fleet.n_gpu_per_node; g < (n + 1) * fleet.n_gpu_per_node; ++g) {
      state.own_Hz[g] = fleet.types[fleet.node_hall[n]].gpu.idle_clock_Hz();
      signals.limiter[g] = dvfs::Limiter::none;
    }
}

}  // namespace TIDEWATT_NAMESPACE::sim
