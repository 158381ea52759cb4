#pragma once
// Private to fleet: the maps of all classes of a task.
#include <vector>

#include "fleet_step.hpp"
#include "site.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Deviation of the nominal chip's temperatures from their mean in each class. They depend on power levels, so they are kept
/// while clocks and period change by less than half a percent; values that depend on durations are recomputed for every step.
struct KindTemperatureOffsets {
  struct OfClass {
    KindLeakage leakage;
    std::vector<double> peak_K_per_W;
    WithinKinds within;
    double mean_W = 0.0;
    std::uint64_t n_segment = 0;
    template <class A>
    void archive(A& a) {
      a(leakage, peak_K_per_W, within, mean_W, n_segment);
    }
  };
  double period_s = 0.0, cap_W = 0.0, clock_frac = 0.0;
  std::vector<double> gate_Hz;
  std::vector<OfClass> classes;
  /// Whether the offsets kept may serve a task under a cap. @param cap_W of a GPU
  bool holds_for(const FleetTask& task, double cap_W) const;
  template <class A>
  void archive(A& a) {
    a(period_s, cap_W, clock_frac, gate_Hz, classes);
  }
};

/// Maps of all classes of a task for the fan speeds that can occur in the step.
/// @param offsets kept from step to step; nullptr: what happens once
std::vector<ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetSignals& signals,
                                      const FleetTask& task, KindTemperatureOffsets* offsets);

}  // namespace TIDEWATT_NAMESPACE::fleet
