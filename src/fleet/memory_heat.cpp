#include "memory_heat.hpp"

#include <algorithm>

#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

struct NodeMemory {
  const thermal::MemoryLead& lead;
  double per_s, own_W;  ///< 1 over the task's length; what the memory of each GPU draws
};

/// The memories of `n` GPUs.
TIDEWATT_CLONES
void set_memories(const NodeMemory& m, std::size_t n, const double* gpu_J, const double* die_K, const double* ratio,
                  double* memory_K) {
  const double per_s = m.per_s, own_W = m.own_W, per_die = m.lead.die_K_per_W, own_K = m.lead.memory_K_per_W * own_W;
  TIDEWATT_LANE_LOOP
  for (std::size_t g = 0; g < n; ++g) {
    const double die_W = std::max(0.0, gpu_J[g] * per_s - own_W);
    memory_K[g] = die_K[g] + ratio[g] * (per_die * die_W + own_K);
  }
}

}  // namespace

std::vector<double> memory_W(const FleetTask& task, const NodeType& type) {
  const auto& timeline = *task.timeline;
  std::vector<double> out;
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const double pace_Hz = task.class_gate_Hz[c] > 0.0 ? task.class_gate_Hz[c] : task.reference_Hz;
    double J = 0.0;
    for (const auto& segment : timeline.classes[c]) {
      const auto& mix = task.kind_mix[segment.kind];
      const double kind_s = mix.matrix_s * task.reference_Hz / pace_Hz + mix.memory_s + mix.link_s + mix.wait_s;
      J += seconds(segment.duration) * type.gpu.params().hbm_W * mix.hbm_s / kind_s;
    }
    out.push_back(J / seconds(timeline.period));
  }
  return out;
}

void memory_temperatures(const Fleet& fleet, const FleetState& state, const FleetTask& task, FleetSignals& signals) {
  const double per_s = 1.0 / seconds(duration_of(task));
  const double working = 1.0 - seconds(pause_of(task)) * per_s;
  for (std::size_t h = 0; h < fleet.types.size(); ++h) {
    const auto& type = fleet.types[h];
    if (!type.memory) continue;
    const auto lead = thermal::memory_lead(type.package, *type.memory);
    const auto class_W = memory_W(task, type);
    for (std::size_t i = 0; i < n_node_of(task); ++i) {
      const std::size_t n = task.first_node + i;
      if (fleet.node_hall[n] != h) continue;
      const double own_W = class_W[task.node_class[i]] * working;
      const std::size_t g = n * fleet.n_gpu_per_node;
      set_memories({lead, per_s, own_W}, fleet.n_gpu_per_node, signals.gpu_J.data() + g, state.die_mean_K.data() + g,
                   fleet.resistance_ratio.data() + g, signals.memory_K.data() + g);
    }
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet
