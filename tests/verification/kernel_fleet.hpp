#pragma once
#include "figures.hpp"
#include "h100.hpp"
#include "sim/build_fleet.hpp"

/// A small H100 fleet for the kernel, warm, with unequal chips, packages and inlets.
struct KernelFleet {
  tidewatt::fleet::Fleet fleet;
  tidewatt::fleet::FleetState state;
  tidewatt::fleet::FleetSignals signals;
  std::vector<double> inlet_K;
  std::vector<tidewatt::dvfs::PhaseMix> kinds = {{0.06, 0.008, 0.014, 0.0, 0.058, 0.024, 0.010},
                                                 {0.0, 0.05, 0.4, 0.0, 0.0, 0.05, 0.35},
                                                 {0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0}};
  tidewatt::dvfs::PhaseMix window = {0.6, 0.08, 0.2, 0.05, 0.58, 0.3, 0.1};

  explicit KernelFleet(std::size_t n_node) {
    using namespace tidewatt;
    fleet.types.push_back(h100_node_type());
    fleet.node_hall.assign(n_node, 0);
    fleet.node_row.assign(n_node, 0);
    fleet.node_rack.assign(n_node, 0);
    for (std::size_t n = 0; n < n_node; ++n) fleet.node_number.push_back(static_cast<std::uint32_t>(n));
    fleet.node_recirculation.assign(n_node, 0.0);
    for (std::size_t g = 0; g < 8 * n_node; ++g) {
      fleet.chip.push_back(power::draw_chip({0.2, 0.008, -0.5, 0.06, 2.0}, 1, g));
      fleet.resistance_ratio.push_back(power::draw_resistance_ratio({0.2, 0.008, -0.5, 0.06, 2.0}, 1, g));
    }
    for (std::size_t n = 0; n < n_node; ++n) inlet_K.push_back(295.0 + 0.1 * static_cast<double>(n % 80));
    state = sim::idle_state(fleet, inlet_K);
    signals = sim::make_signals(fleet);
  }
  tidewatt::fleet::NodesTask task(const tidewatt::fleet::BatchPlan& plan) const {
    return {&plan, kinds, window, 1.83e9, 0.0, inlet_K, 1190.0, {}};
  }
};

/// Half a second to some seconds of work, collective and wait.
inline std::vector<tidewatt::workload::Segment> random_segments(Draws& d, int n, double low_s, double high_s) {
  std::vector<tidewatt::workload::Segment> out;
  for (int i = 0; i < n; ++i)
    out.push_back({static_cast<tidewatt::Tick>(1e9 * d.log_between(low_s, high_s)), static_cast<std::uint32_t>(i % 3)});
  return out;
}
