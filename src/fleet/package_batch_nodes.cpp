#include <algorithm>
#include <array>

#include "dvfs/operating_point_batch.hpp"
#include "package_batch_play.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using namespace detail;
inline constexpr std::size_t n_wide = n_together * n_package_lane;

double length_s(const BatchPlan& plan) {
  double total_s = 0.0;
  for (const auto& s : plan.steps) total_s += plan.length_s[s.length];
  return total_s;
}

// A few nodes side by side.
struct Group {
  const Fleet& fleet;
  FleetState& state;
  FleetSignals& signals;
  const NodesTask& task;
  double period_s;
  std::size_t first_node, n_node;
  const NodeType& type = fleet.types[fleet.node_hall[first_node]];
  std::size_t per_node = fleet.n_gpu_per_node, first_gpu = first_node * per_node;
  std::array<PackageBlock, n_together> blocks{};
  struct Fan {
    double mean_frac = 0.0, end_frac = 0.0;
  };
  std::array<Fan, n_together> fan{};

  std::size_t n_gpu() const { return n_node * per_node; }

  // The controller's first-order lag is exact over the period; the package gets its mean.
  void fans() {
    const double x = period_s / type.air.fan_lag_s;
    for (std::size_t n = 0; n < n_node; ++n) {
      const auto die = state.die_mean_K.begin() + static_cast<std::ptrdiff_t>(first_gpu + n * per_node);
      const double target =
          thermal::fan_target_frac(type.air, *std::max_element(die, die + static_cast<std::ptrdiff_t>(per_node)));
      const double now = state.fan_frac[first_node + n];
      fan[n].end_frac = target + (now - target) * math::exp(-x);
      fan[n].mean_frac = fan_frac_of(fan_step(target + (now - target) * math::mean_decay(x)));
      blocks[n].modes = &type.modes[mode_step(type, fan[n].mean_frac, 1.0, task.air_J_per_m3_K)];
    }
  }

  void load() {
    for (std::size_t n = 0; n < n_node; ++n) {
      const double inlet_K = task.inlet_K[first_node + n];
      const double rear_K = inlet_K + thermal::rear_preheat_K(type.air, state.front_W[first_node + n], fan[n].mean_frac,
                                                              task.air_J_per_m3_K);
      for (std::size_t lane = 0; lane < n_package_lane; ++lane) {
        const std::size_t slot = std::min(lane, per_node - 1), g = first_gpu + n * per_node + slot;
        blocks[n].store_K[0][lane] = state.die_K[g];
        blocks[n].store_K[1][lane] = state.base_K[g];
        blocks[n].store_K[2][lane] = state.sink_K[g];
        blocks[n].air_K[lane] = fleet.rear(slot) ? rear_K : inlet_K;
        blocks[n].resistance_ratio[lane] = fleet.resistance_ratio[g];
      }
    }
  }

  void clocks() {
    const auto& controls = state.controls[fleet.node_hall[first_node]];
    const auto chip = std::span(fleet.chip).subspan(first_gpu, n_gpu());
    const auto die_K = std::span<const double>(state.die_mean_K).subspan(first_gpu, n_gpu());
    const auto clock_Hz = std::span(state.clock_Hz).subspan(first_gpu, n_gpu());
    const auto limiter = std::span(signals.limiter).subspan(first_gpu, n_gpu());
    std::array<double, n_wide> limit_W;
    limit_W.fill(dvfs::limit_W(controls.cap_W, type.governor));
    dvfs::operating_points(type.gpu, task.window, task.reference_Hz, task.gate_Hz, controls.lock_Hz,
                           {chip, die_K, std::span(limit_W).first(n_gpu()), clock_Hz, limiter});
  }

  void powers(std::span<double> fixed_W, std::span<LaneWatts> watts) {
    const std::size_t n_kind = task.plan->n_kind;
    std::array<double, n_wide> leakage_W;
    dvfs::phase_powers(type.gpu, std::span(fleet.chip).subspan(first_gpu, n_gpu()), task.kind_mix, task.reference_Hz,
                       std::span<const double>(state.clock_Hz).subspan(first_gpu, n_gpu()), task.gate_Hz,
                       fixed_W.first(n_kind * n_gpu()), std::span(leakage_W).first(n_gpu()));
    for (std::size_t n = 0; n < n_node; ++n)
      for (std::size_t k = 0; k < n_kind; ++k)
        for (std::size_t lane = 0; lane < n_package_lane; ++lane) {
          const std::size_t g = n * per_node + std::min(lane, per_node - 1);
          watts[n * n_kind + k].fixed_W[lane] = fixed_W[k * n_gpu() + g];
          watts[n * n_kind + k].leakage_W[lane] = leakage_W[g];
        }
  }

  void store() {
    for (std::size_t n = 0; n < n_node; ++n) {
      double front_J = 0.0;
      for (std::size_t slot = 0; slot < per_node; ++slot) {
        const std::size_t g = first_gpu + n * per_node + slot;
        state.die_K[g] = blocks[n].store_K[0][slot];
        state.base_K[g] = blocks[n].store_K[1][slot];
        state.sink_K[g] = blocks[n].store_K[2][slot];
        state.die_mean_K[g] = blocks[n].die_mean_K[slot];
        state.die_peak_K[g] = signals.hottest_K[g] = blocks[n].die_peak_K[slot];
        signals.gpu_J[g] = blocks[n].gpu_J[slot];
        if (!fleet.rear(slot)) front_J += blocks[n].air_J[slot];
      }
      state.front_W[first_node + n] = front_J / period_s;
      state.fan_frac[first_node + n] = fan[n].end_frac;
    }
  }
};

}  // namespace

void advance_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodesTask& task,
                   std::size_t first_node, std::size_t last_node) {
  if (!task.plan || task.kind_mix.size() != task.plan->n_kind || fleet.n_gpu_per_node > n_package_lane ||
      last_node > fleet.n_node())
    throw InputError("nodes task: plan, kinds and nodes do not fit together");
  const double period_s = length_s(*task.plan);
  std::vector<LaneWatts> watts(n_together * task.plan->n_kind);
  std::vector<double> fixed_W(n_wide * task.plan->n_kind);
  const std::size_t per_node_W = task.plan->steps.size() * n_package_lane;
  for (std::size_t n = first_node; n < last_node;) {
    std::size_t end = n + 1;  // adjacent nodes are in one hall
    while (end < last_node && end < n + n_together && fleet.node_hall[end] == fleet.node_hall[n]) ++end;
    Group group{fleet, state, signals, task, period_s, n, end - n};
    group.fans();
    group.load();
    group.clocks();
    group.powers(fixed_W, watts);
    BatchOptions o = task.options;
    if (!o.lane_W.empty()) o.lane_W = o.lane_W.subspan((n - first_node) * per_node_W, (end - n) * per_node_W);
    advance_packages(*task.plan, group.type.gpu.leakage(), std::span(watts).first((end - n) * task.plan->n_kind),
                     std::span(group.blocks).first(end - n), o);
    group.store();
    n = end;
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
