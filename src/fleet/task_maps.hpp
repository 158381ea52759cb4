#pragma once
// Private to fleet: the maps of all classes of a task.
#include <cstdint>
#include <span>
#include <vector>

#include "fleet_step.hpp"
#include "site.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Deviation of the nominal chip's temperatures from their mean in each class. They depend on power levels, so a class keeps them
/// while its segments are of the same kinds and its clock and its period change by less than 0.3 %; values that depend on
/// durations are recomputed for every step.
struct KindTemperatureOffsets {
  struct OfClass {
    KindLeakage leakage;
    HottestInstant peak;
    WithinKinds within;
    double mean_W = 0.0, period_s = 0.0, gate_Hz = 0.0;
    /// [segment] that they belong to; empty: not known yet. Smoothing and ballast number their kinds anew where power levels move.
    std::vector<std::uint32_t> kind;
    /// Whether they may serve class `cls` of a task.
    bool holds_for(const FleetTask& task, std::size_t cls) const;
    template <class A>
    void archive(A& a) {
      a(leakage, peak, within, mean_W, period_s, gate_Hz, kind);
    }
  };
  double cap_W = 0.0, clock_frac = 0.0;
  std::vector<OfClass> classes;
  /// Whether any of them may serve a task under a cap. @param cap_W of a GPU
  bool belongs_to(const FleetTask& task, double cap_W) const;
  template <class A>
  void archive(A& a) {
    a(cap_W, clock_frac, classes);
  }
};

/// Maps of all classes of a task for the fan speeds that can occur in the step.
/// @param offsets kept from step to step; nullptr: what happens once
std::vector<ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetSignals& signals,
                                      const FleetTask& task, KindTemperatureOffsets* offsets);
/// The same, [class] in the rooms of earlier ones.
std::span<const ClassMap> make_class_maps(const Fleet& fleet, const FleetState& state, const FleetSignals& signals,
                                          const FleetTask& task, KindTemperatureOffsets* offsets,
                                          std::vector<ClassMap>& rooms);

}  // namespace TIDEWATT_NAMESPACE::fleet
