#include "hall_controls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "numerics/block.hpp"
#include "scenario_check.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// By how much memories are warmer than their dies; those without a temperature lie below any other.
TIDEWATT_CLONES
void lead(const double* memory_K, const double* die_K, std::size_t n, double* above_K) {
  for (std::size_t i = 0; i < n; ++i) above_K[i] = memory_K[i] > 0.0 ? memory_K[i] - die_K[i] : -1e300;
}

}  // namespace

HallControls::HallControls(const Scenario& scenario, const fleet::Fleet& fleet)
    : scenario_(scenario),
      fleet_(fleet),
      orders_(scenario),
      by_jobs_{OrderTiers(scenario, fleet, OrderMeans::tiers), OrderTiers(scenario, fleet, OrderMeans::pause)},
      brake_(scenario),
      state_{{}, std::vector<double>(fleet.types.size(), 0.0)} {
  for (const auto& type : fleet.types) state_.limits.push_back({type.usual.cap_W, type.usual.lock_Hz});
  find_lowest_caps();
}

void HallControls::find_lowest_caps() {
  if (!orders_.used() || !lowest_cap_W_.empty()) return;
  for (const auto& h : scenario_.halls) lowest_cap_W_.push_back(sim::lowest_cap_W(scenario_, h));
}

/// Share of the usual caps at which the last hall has its lowest one.
double HallControls::least_share() const {
  double out = 1.0;
  for (std::size_t h = 0; h < lowest_cap_W_.size(); ++h) out = std::min(out, lowest_cap_W_[h] / state_.limits[h].cap_W);
  return lowest_cap_W_.empty() ? 0.0 : out;
}

void HallControls::set_order(double limit_W) {
  if (by_jobs_.front().used())
    by_jobs_.front().set_outside(limit_W);
  else
    orders_.set_outside(limit_W);
  find_lowest_caps();
}

void HallControls::check() const {
  if (state_.limits.size() != fleet_.types.size()) throw InputError("checkpoint: of another fleet");
  for (std::size_t h = 0; h < state_.limits.size(); ++h) {
    const auto& l = state_.limits[h];
    const auto& type = fleet_.types[h];
    if (!(dvfs::limit_W(l.cap_W, type.governor) > 0.0 && l.cap_W <= type.gpu.params().tdp_W &&
          l.clock_lock_Hz >= type.gpu.clock_min_Hz() && l.clock_lock_Hz <= type.gpu.clock_max_Hz()))
      throw InputError(
          fmt::format("checkpoint: of other GPUs: hall {} cannot have a cap of {} W and a clock lock of {} MHz",
                      scenario_.halls[h].hall.name, l.cap_W, l.clock_lock_Hz * 1e-6));
  }
}

fleet::Controls HallControls::at(std::size_t hall, Tick now) const {
  const auto& spec = scenario_.halls[hall];
  const auto& type = fleet_.types[hall];
  const Limits& l = state_.limits[hall];
  const double least_W = lowest_cap_W_.empty() ? 0.0 : std::min(lowest_cap_W_[hall], l.cap_W);
  fleet::Controls out{std::max(orders_.share() * l.cap_W, least_W), l.clock_lock_Hz, type.usual.target_K};
  const double braked_Hz = std::max(type.gpu.clock_min_Hz(), spec.sampling.brake_clock_ratio * type.gpu.clock_max_Hz());
  if (brake_.pulled(hall, now) && braked_Hz < out.lock_Hz) {
    out.lock_Hz = braked_Hz;
    out.lock_by = dvfs::Limiter::brake;
  }
  // The governor meets a memory limit by the clock, as it meets the die's: the die may be as warm as leaves the warmest stacks
  // of the hall at their limit.
  if (!spec.memory) return out;
  const double limit_K = spec.memory->limit_K - state_.memory_lead_K[hall];
  if (limit_K < out.target_K) {
    out.target_K = limit_K;
    out.target_by = dvfs::Limiter::memory;
  }
  return out;
}

void HallControls::see_memory(const fleet::FleetState& state, const fleet::FleetSignals& signals) {
  if (signals.memory_K.empty()) return;
  for (std::size_t h = 0; h < state_.memory_lead_K.size(); ++h)
    if (fleet_.types[h].memory) state_.memory_lead_K[h] = 0.0;
  const std::size_t n_gpu = fleet_.n_gpu_per_node, n_node = signals.memory_K.size() / n_gpu;
  std::array<double, numerics::block_size> above_K;
  for (std::size_t n = 0; n < n_node;) {
    const std::size_t hall = fleet_.node_hall[n], first = n * n_gpu;
    for (++n; n < n_node && fleet_.node_hall[n] == hall;) ++n;
    for (std::size_t g = first; g < n * n_gpu; g += numerics::block_size) {
      const std::size_t k = std::min(numerics::block_size, n * n_gpu - g);
      lead(signals.memory_K.data() + g, state.die_mean_K.data() + g, k, above_K.data());
      state_.memory_lead_K[hall] = std::max(state_.memory_lead_K[hall], numerics::lane_max({above_K.data(), k}));
    }
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
