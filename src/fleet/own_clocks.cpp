#include <algorithm>

#include "base/parallel.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "fleet_block.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using namespace detail;

/// By how much mean powers may grow before a die comes above its thermal target. With the mean power of the last step, a times as
/// large, a package goes from its present state to
///   T(t) = T_air(t) + r Σ shape (z0 e^{−λt} + (g a P − c dT_air/dt / r) (1 − e^{−λt})/λ),
/// and its ripple within an iteration is proportional to the power: neither the mean over `ahead_s` nor the end, plus a (T_peak −
/// T_mean), may exceed the target.
TIDEWATT_CLONES
Lanes heat_growth(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task,
                  const Block& b, double ahead_s, const std::array<double, n_lane>& front_W) {
  const Packages p = load_packages(fleet, state, signals, b);
  std::array<double, n_lane> fan_before;
  for (std::size_t i = 0; i < b.n_node; ++i) fan_before[i] = signals.fan_before_frac[b.node[i]];
  Air air;
  use_guessed_fans(signals, b, task.slice, air);
  set_air(state, task, b, ahead_s, p.r, fan_before, p.guess_K, front_W, air);
  Above x;
  above_air(p, air, ahead_s, x);
  Lanes growth;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const auto& m = *air.modes[b.owner[l]];
    const auto gpu = b.gpu[l];
    // For a resistance ratio of 1. Where iterations begin their ripple is `before_K` off the mean; it grows with the power, too.
    double end_K = 0.0, end_per_W = 0.0, end_before_K = 0.0, mean_K = 0.0, mean_per_W = 0.0, mean_before_K = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double y = m.rate_per_s[j] * ahead_s, spent_s = ahead_s * math::mean_decay(y);
      const double rest_s = (ahead_s - spent_s) / m.rate_per_s[j], shape = m.shape[0][j];
      const double z0 =
          std::fma(m.inverse[j][0], x[0][l], std::fma(m.inverse[j][1], x[1][l], m.inverse[j][2] * x[2][l]));
      const double by_air = -(m.inverse[j][0] + m.inverse[j][1] + m.inverse[j][2]) * x.air_K_per_s[l];
      const double ripple_K = task.repeats && !task.slice ? state.ripple_K[j][gpu] : 0.0;
      const double left = math::exp(-y), mean_left = spent_s / ahead_s;
      end_K += shape * std::fma(z0, left, by_air * spent_s);
      mean_K += shape * std::fma(z0, mean_left, by_air * rest_s / ahead_s);
      end_before_K += shape * ripple_K * left;
      mean_before_K += shape * ripple_K * mean_left;
      end_per_W += shape * m.gain_K_per_J[j] * spent_s;
      mean_per_W += shape * m.gain_K_per_J[j] * rest_s / ahead_s;
    }
    const double per_r = 1.0 / p.r[l], mean_W = state.mean_W[gpu];
    const double room_K = (state.controls[b.hall].target_K - air.air_K[l]) * per_r;
    const double above_K = std::max(0.0, state.die_peak_K[gpu] - state.die_mean_K[gpu]) * per_r;
    const double by_mean = (room_K - mean_K) / std::fma(mean_per_W, mean_W, above_K - mean_before_K);
    const double by_end =
        (room_K - 0.5 * ahead_s * x.air_K_per_s[l] - end_K) / std::fma(end_per_W, mean_W, above_K - end_before_K);
    growth[l] = std::min(by_mean, by_end);
  }
  return growth;
}

/// Power that the thermal limit allows in the governor's windows. Dies follow the mean over whole iterations with waits, and the
/// governor limits the mean over its window; both scale alike. The rear row is in the air warmed by the front row.
void limit_by_heat(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task,
                   const Block& b, double ahead_s, double cap_W, const Lanes& let_W, Lanes& limit_W) {
  std::array<double, n_lane> front_W;
  for (std::size_t i = 0; i < b.n_node; ++i) front_W[i] = signals.guess_front_W[b.node[i]];
  Lanes window_W = gather(state.window_W.data(), b);
  for (std::size_t l = 0; l < n_lane; ++l) window_W[l] = window_W[l] > 0.0 ? window_W[l] : cap_W;
  Lanes growth = heat_growth(fleet, state, signals, task, b, ahead_s, front_W);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    for (std::size_t l = i * b.n_gpu; l < (i + 1) * b.n_gpu; ++l) {
      if (b.rear[l] != 0) continue;
      const double growing = std::clamp(growth[l], 0.0, std::max(1.0, let_W[l] / window_W[l]));
      front_W[i] += (growing - 1.0) * state.mean_W[b.gpu[l]];
    }
  }
  growth = heat_growth(fleet, state, signals, task, b, ahead_s, front_W);
  for (std::size_t l = 0; l < n_lane; ++l) limit_W[l] = std::min(cap_W, growth[l] * window_W[l]);
}

/// Mean powers over the governor's window at these clocks, alone.
TIDEWATT_CLONES
Lanes windows_W(const power::GpuModel& gpu, const FleetTask& task, const Block& b,
                const std::array<power::Chip, n_lane>& chip, const Lanes& die_K, const Lanes& clock_Hz) {
  Lanes fixed_W, leakage_W;
  dvfs::phase_powers(gpu, chip, std::span(&task.class_window[b.cls], 1), task.reference_Hz, clock_Hz.x, 0.0, fixed_W.x,
                     leakage_W.x);
  for (std::size_t l = 0; l < n_lane; ++l)
    fixed_W[l] = std::fma(leakage_W[l], gpu.leakage_temperature_factor(die_K[l]), fixed_W[l]);
  return fixed_W;
}

/// What the limiters let through at the clocks found.
TIDEWATT_CLONES
void let_through(const power::GpuModel& gpu, const dvfs::OperatingPointBatch& batch, double cap_W, Lanes& out) {
  const power::LeakageLaw leakage = gpu.leakage();
  const double all_W = batch.falling_W, per_Hz = batch.falling_W_per_Hz, per_leakage = batch.falling_per_leakage;
  const power::Chip* chip = batch.chip.data();
  const double *die_K = batch.die_K.data(), *clock_Hz = batch.clock_Hz.data();
  for (std::size_t l = 0; l < batch.chip.size(); ++l) {
    const double leakage_W = leakage.ref_W * chip[l].leakage_ratio * leakage.temperature_factor(die_K[l]);
    const double W = std::fma(per_Hz, clock_Hz[l], std::fma(per_leakage, leakage_W, all_W));
    out[l] = W < cap_W ? W : cap_W;
  }
}

/// Only dies near their target can be limited by it within a step; those below the cap have further to rise.
TIDEWATT_CLONES
bool heat_may_limit(const FleetState& state, const FleetTask& task, const Block& b, const Lanes& guess_K,
                    const Lanes& clock_Hz, double cap_W, double target_K) {
  dvfs::OperatingPointBatch let{};  // by power alone, of a nominal chip
  set_falling(task, b.cls, cap_W, let);
  const double nominal_W = let.falling_W + let.falling_per_leakage * b.type->gpu.params().leakage_W,
               per_Hz = let.falling_W_per_Hz;
  const Lanes hottest_K = gather(state.die_peak_K.data(), b), mean_K = gather(state.die_mean_K.data(), b),
              window_W = gather(state.window_W.data(), b);
  std::int64_t any = 0;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double over_K = hottest_K[l] - mean_K[l], peak_K = guess_K[l] + (over_K > 0.0 ? over_K : 0.0);
    const double falling_W = nominal_W + per_Hz * clock_Hz[l], let_W = falling_W < cap_W ? falling_W : cap_W;
    const double near_W = (let_W < cap_W ? 0.97 : 0.99) * let_W;
    const int at_cap = int{window_W[l] == 0.0} | int{window_W[l] > near_W};
    any |= peak_K > target_K - (at_cap != 0 ? 5.0 : 15.0) ? 1 : 0;
  }
  return any != 0;
}

/// Who limits each GPU, and the slowdown of those that are too hot.
TIDEWATT_CLONES
void slow_down(const FleetState& state, const FleetTask& task, const Block& b, const Lanes& limit_W, const Lanes& let_W,
               Lanes& clock_Hz, std::array<dvfs::Limiter, n_lane>& limiter) {
  using dvfs::Limiter;
  const auto& held = state.controls[b.hall];
  const auto& gov = b.type->governor;
  const Lanes die_K = gather(state.die_K.data(), b);
  const double slow_Hz = gov.slowdown_clock_ratio * b.type->gpu.clock_max_Hz(), slowdown_K = gov.slowdown_K;
  const Limiter target_by = held.target_by, lock_by = task.clock_frac == 1.0 ? held.lock_by : Limiter::clock;
  for (std::size_t l = 0; l < n_lane; ++l) {
    const Limiter found = limiter[l],
                  with_heat = ((found == Limiter::power) & (limit_W[l] < let_W[l])) ? target_by : found,
                  with_lock = with_heat == Limiter::clock ? lock_by : with_heat;
    const bool hot = die_K[l] > slowdown_K;
    clock_Hz[l] = (hot & (slow_Hz < clock_Hz[l])) ? slow_Hz : clock_Hz[l];
    limiter[l] = hot ? Limiter::slowdown : with_lock;
  }
}

void block_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, const Block& b,
                      FleetSignals& signals) {
  const auto& type = *b.type;
  const auto& held = state.controls[b.hall];
  const double cap_W = dvfs::limit_W(held.cap_W, type.governor);
  const Lanes guess = gather(signals.guess_K.data(), b);
  Lanes limit_W, clock_Hz = gather(state.own_Hz.data(), b);
  std::fill_n(limit_W.x, n_lane, cap_W);
  const bool warm = heat_may_limit(state, task, b, guess, clock_Hz, cap_W, held.target_K);
  std::array<power::Chip, n_lane> chip;
  std::array<dvfs::Limiter, n_lane> limiter{};
  gather_each(fleet.chip.data(), b, chip.data());
  const std::size_t n = b.n_used();
  dvfs::OperatingPointBatch batch{
      std::span(chip).first(n), {guess.x, n}, {limit_W.x, n}, {clock_Hz.x, n}, std::span(limiter).first(n)};
  set_falling(task, b.cls, cap_W, batch);
  Lanes let_W;
  std::fill_n(let_W.x, n_lane, cap_W);
  const auto see_let = [&] {
    if (!task.class_course.empty()) let_through(type.gpu, batch, cap_W, let_W);
  };
  if (warm) {
    see_let();  // at the clocks of the last step
    limit_by_heat(fleet, state, signals, task, b, ahead_s, cap_W, let_W, limit_W);
  }
  dvfs::operating_points(type.gpu, task.class_window[b.cls], task.reference_Hz, 0.0, task.clock_frac * held.lock_Hz,
                         batch);
  see_let();
  slow_down(state, task, b, limit_W, let_W, clock_Hz, limiter);
  scatter(clock_Hz, b, state.own_Hz.data());
  scatter_each(limiter.data(), b, signals.limiter.data());
  // That of the work stays through pauses, as its mean power does: the limit by heat takes both together.
  if (!task.repeats) return;
  scatter(warm ? windows_W(type.gpu, task, b, chip, guess, clock_Hz) : let_W, b, state.window_W.data());
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
    if (!b.type->stairs) continue;
    const bool rests = air.rest[n].rests && air.fan_used_frac[n] == air.rest[n].of_frac;
    signals.guess_fan_frac[b.node[n]] = air.fan_used_frac[n];
    signals.guess_rests_s[b.node[n]] = rests ? ahead_s : 0.0;
    signals.guess_accepted_K[b.node[n]] = air.stairs[n].accepted_K;
  }
}

/// What the prediction of a block reads and writes.
void fetch_for_prediction(const Fleet& fleet, const FleetState& s, const FleetSignals& to, const Block& b) {
  fetch(b, s.die_K.data(), s.base_K.data(), s.sink_K.data(), s.mean_W.data(), s.die_mean_K.data(), s.ripple_K[0].data(),
        s.ripple_K[1].data(), s.ripple_K[2].data(), fleet.resistance_ratio.data(), to.guess_K.data());
}
void fetch_for_clocks(const Fleet& fleet, const FleetState& s, const Block& b) {
  fetch(b, s.own_Hz.data(), s.die_peak_K.data(), s.window_W.data(), fleet.chip.data());
}

}  // namespace

void predict(const Fleet& fleet, FleetState& state, const FleetTask& task, std::span<const double> nominal_W,
             double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(
      blocks.size(), task.n_thread,
      [&](std::size_t begin, std::size_t end) {
        Air air;
        for (std::size_t i = begin; i < end; ++i) {
          if (i + 1 < end) fetch_for_prediction(fleet, state, signals, blocks[i + 1]);
          predict_block(fleet, state, task, nominal_W, ahead_s, blocks[i], air, signals);
        }
      },
      few_blocks);
}

void own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(
      blocks.size(), task.n_thread,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (i + 1 < end) fetch_for_clocks(fleet, state, blocks[i + 1]);
          block_own_clocks(fleet, state, task, ahead_s, blocks[i], signals);
        }
      },
      few_blocks);
}

void predict_with_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task,
                             std::span<const double> nominal_W, double ahead_s, FleetSignals& signals) {
  const auto& blocks = blocks_of(fleet, task);
  parallel_ranges(
      blocks.size(), task.n_thread,
      [&](std::size_t begin, std::size_t end) {
        Air air;
        for (std::size_t i = begin; i < end; ++i) {
          if (i + 1 < end) {
            fetch_for_prediction(fleet, state, signals, blocks[i + 1]);
            fetch_for_clocks(fleet, state, blocks[i + 1]);
          }
          predict_block(fleet, state, task, nominal_W, ahead_s, blocks[i], air, signals);
          block_own_clocks(fleet, state, task, ahead_s, blocks[i], signals);
        }
      },
      few_blocks);
}

void idle_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, FleetSignals& signals) {
  for (std::size_t n = task.first_node; n < task.first_node + n_node_of(task); ++n)
    for (std::size_t g = n * fleet.n_gpu_per_node; g < (n + 1) * fleet.n_gpu_per_node; ++g) {
      state.own_Hz[g] = fleet.types[fleet.node_hall[n]].gpu.idle_clock_Hz();
      signals.limiter[g] = dvfs::Limiter::none;
    }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
