#pragma once
// Private to sim: the picture of single GPUs that a result shows.
#include <span>
#include <tuple>
#include <vector>

#include "connection/load_template.hpp"
#include "fleet/training_task.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Every GPU at the warmest time so far, and the iteration at that time.
class FleetSnapshot {
 public:
  struct Moment {
    double mean_inlet_K = 0.0;
    bool settled = false, full_hour = false;
    template <class A>
    void archive(A& a) {
      a(mean_inlet_K, settled, full_hour);
    }
  };
  /// Whether this is the warmest moment so far; one that a start has long left behind wins over all that it has not, and
  /// full hours, which every way to advance hits, win over moments between.
  bool better(const Moment& m) const {
    return std::tuple(m.settled, m.full_hour, m.mean_inlet_K) >
           std::tuple(moment_.settled, moment_.full_hour, moment_.mean_inlet_K);
  }
  void take(const fleet::Fleet& fleet, const fleet::FleetState& state, const fleet::FleetSignals& signals,
            const fleet::TrainingTask& task, std::span<const double> inlet_K, const connection::LoadEdges& edges,
            const Moment& moment);
  const std::vector<NamedArray>& arrays() const { return arrays_; }
  template <class A>
  void archive(A& a) {
    a(moment_, arrays_);
  }

 private:
  Moment moment_;
  std::vector<NamedArray> arrays_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
