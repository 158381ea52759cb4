#include <algorithm>

#include "fleet_node.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/dvfs/operating_point_batch.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

/// Mean power that brings the die to `limit_K` after `ahead_s`, from the package's present state:
/// T(t) = T_air + r Σ shape (z0 e^{−λt} + g P (1 − e^{−λt})/λ).
TIDEWATT_INLINE double power_to_reach(const thermal::PackageModes& m, const std::array<double, n_mode>& z0, double air_K, double r,
                      double ahead_s, double limit_K) {
  double rest = 0.0, per_W = 0.0;
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double x = m.rate_per_s[j] * ahead_s;
    rest += m.shape[0][j] * z0[j] * math::exp(-x);
    per_W += m.shape[0][j] * m.gain_K_per_J[j] * ahead_s * math::mean_decay(x);
  }
  return ((limit_K - air_K) / r - rest) / per_W;
}

TIDEWATT_INLINE std::array<double, n_mode> modes_of_gpu(const thermal::PackageModes& m, const std::array<double, 3>& over_air_K, double r) {
  std::array<double, n_mode> z{};
  for (std::size_t k = 0; k < n_mode; ++k)
    for (std::size_t s = 0; s < 3; ++s) z[k] += m.inverse[k][s] * (over_air_K[s] / r);
  return z;
}

/// Mean power that keeps every die of a node below its thermal target until the step's end, at most the cap.
TIDEWATT_CLONES
Lanes power_limits(const Fleet& fleet, const FleetState& state, const FleetTask& task, const NodeStep& at, double ahead_s,
                   double cap_W) {
  Lanes limit_W;
  limit_W.fill(cap_W);
  const auto& gov = at.type.governor;
  // Only dies near their target can be limited by it within a step.
  const auto carry_K = guess_K(state, at);
  if (*std::max_element(carry_K.begin(), carry_K.end()) <= gov.thermal_target_K - 15.0) return limit_W;
  NodeStep step = at;
  step.set_fan(state.fan_frac[step.node], carry_K);
  step.set_rear(state.front_W[step.node], task.air_J_per_m3_K);
  for (std::size_t l = 0; l < step.n_gpu; ++l) {
    const std::size_t g = step.first_gpu + l;
    const double r = fleet.resistance_ratio[g], air_K = step.air_K(fleet, l);
    const double peak_above_mean_K = std::max(0.0, state.die_peak_K[g] - state.die_mean_K[g]);
    const auto z0 = modes_of_gpu(*step.modes, {state.die_K[g] - air_K, state.base_K[g] - air_K, state.sink_K[g] - air_K}, r);
    limit_W[l] = std::min(cap_W, power_to_reach(*step.modes, z0, air_K, r, ahead_s, gov.thermal_target_K - peak_above_mean_K));
  }
  return limit_W;
}

void node_own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, std::size_t i,
                     FleetSignals& signals) {
  const NodeStep step = make_node_step(fleet, task, i, ahead_s);
  const std::size_t first = step.first_gpu, n = step.n_gpu;
  const auto& type = step.type;
  const auto& gov = type.governor;
  const double cap_W = type.cap_W - gov.cap_margin_W;
  const Lanes limit_W = power_limits(fleet, state, task, step, ahead_s, cap_W);
  const Lanes guess = guess_K(state, step);
  Lanes clock_Hz = gather(state.own_Hz, step);
  const std::span<dvfs::Limiter> limiter(signals.limiter.data() + first, n);
  dvfs::operating_points(type.gpu, task.class_window[step.cls], task.reference_Hz, 0.0, type.clock_lock_Hz,
                         {{fleet.chip.data() + first, n}, {guess.data(), n}, {limit_W.data(), n},
                          {clock_Hz.data(), n}, limiter});
  for (std::size_t l = 0; l < n; ++l) {
    if (limiter[l] == dvfs::Limiter::power && limit_W[l] < cap_W) limiter[l] = dvfs::Limiter::thermal;
    if (guess[l] > gov.slowdown_K) {
      clock_Hz[l] = std::min(clock_Hz[l], gov.slowdown_clock_ratio * type.gpu.clock_max_Hz());
      limiter[l] = dvfs::Limiter::slowdown;
    }
    state.own_Hz[first + l] = clock_Hz[l];
  }
}

}  // namespace

void own_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, double ahead_s, FleetSignals& signals) {
  parallel_ranges(task.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) node_own_clocks(fleet, state, task, ahead_s, i, signals);
  });
}

void idle_clocks(const Fleet& fleet, FleetState& state, const FleetTask& task, FleetSignals& signals) {
  for (std::size_t i = 0; i < task.n_node(); ++i) {
    const NodeStep step = make_node_step(fleet, task, i, 0.0);
    std::fill_n(state.own_Hz.begin() + static_cast<std::ptrdiff_t>(step.first_gpu), step.n_gpu, step.type.gpu.idle_clock_Hz());
    std::fill_n(signals.limiter.begin() + static_cast<std::ptrdiff_t>(step.first_gpu), step.n_gpu, dvfs::Limiter::none);
  }
}

}  // namespace tidewatt::sim
