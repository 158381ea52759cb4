#pragma once
// Private to sim: the picture of single GPUs that a result shows.
#include <span>
#include <tuple>
#include <vector>

#include "load_template.hpp"
#include "tidewatt/sim/result.hpp"
#include "training_task.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Every GPU at the warmest moment so far, and the iteration of that moment.
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
  void take(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const TrainingTask& task,
            std::span<const double> inlet_K, const LoadEdges& edges, const Moment& moment);
  const std::vector<Array>& arrays() const { return arrays_; }
  template <class A>
  void archive(A& a) {
    a(moment_, arrays_);
  }

 private:
  Moment moment_;
  std::vector<Array> arrays_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
