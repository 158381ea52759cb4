#include <algorithm>

#include "fleet_node.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

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

std::array<double, n_mode> modes_of_gpu(const thermal::PackageModes& m, const std::array<double, 3>& over_air_K, double r) {
  std::array<double, n_mode> z{};
  for (std::size_t k = 0; k < n_mode; ++k)
    for (std::size_t s = 0; s < 3; ++s) z[k] += m.inverse[k][s] * (over_air_K[s] / r);
  return z;
}

TIDEWATT_CLONES
void node_own_clocks(const Fleet& fleet, const FleetState& state, const FleetTask& task, double ahead_s, std::size_t i,
                     FleetSignals& signals) {
  NodeStep step = make_node_step(fleet, task, i, ahead_s);
  const std::size_t n = step.node, first = step.first_gpu;
  const std::uint32_t cls = step.cls;
  step.set_fan(state.fan_frac[n], gather(state.die_carry_K, step));
  step.set_rear(state.front_W[n], task.air_J_per_m3_K);
  const auto& type = step.type;
  const auto& gov = type.governor;
  const double cap_W = type.cap_W - gov.cap_margin_W;
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
    const std::size_t g = first + slot;
    double limit_W = cap_W;
    // Only dies near their target can be limited by it within a step.
    if (state.die_carry_K[g] > gov.thermal_target_K - 15.0) {
      const double r = fleet.resistance_ratio[g], air_K = step.air_K(fleet, slot);
      const double peak_above_mean_K = std::max(0.0, state.die_peak_K[g] - state.die_mean_K[g]);
      const auto z0 = modes_of_gpu(*step.modes, {state.die_K[g] - air_K, state.base_K[g] - air_K, state.sink_K[g] - air_K}, r);
      limit_W = std::min(cap_W, power_to_reach(*step.modes, z0, air_K, r, ahead_s, gov.thermal_target_K - peak_above_mean_K));
    }
    const double factor = type.gpu.leakage_temperature_factor(state.die_carry_K[g]);
    auto p = dvfs::operating_point(type.gpu, fleet.chip[g], task.class_window[cls], task.reference_Hz, 0.0, factor,
                                   limit_W, type.clock_lock_Hz, state.clock_Hz[g]);
    if (p.limiter == dvfs::Limiter::power && limit_W < cap_W) p.limiter = dvfs::Limiter::thermal;
    if (state.die_carry_K[g] > gov.slowdown_K) {
      p.clock_Hz = std::min(p.clock_Hz, gov.slowdown_clock_ratio * type.gpu.clock_max_Hz());
      p.limiter = dvfs::Limiter::slowdown;
    }
    signals.own_Hz[g] = p.clock_Hz;
    signals.limiter[g] = p.limiter;
  }
}

}  // namespace

void own_clocks(const Fleet& fleet, const FleetState& state, const FleetTask& task, double ahead_s,
                FleetSignals& signals) {
  parallel_ranges(task.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) node_own_clocks(fleet, state, task, ahead_s, i, signals);
  });
}

}  // namespace tidewatt::sim
