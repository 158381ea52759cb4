#pragma once
#include <string>
#include <vector>

#include "connection/load_template.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What the nodes of a job draw over one iteration, from its plan alone.
struct PlanPower {
  workload::Timeline timeline;
  fleet::ClassPower node_W;  ///< [class][segment] AC watts of a node whose GPUs all are of the class
  /// Mean of a node over all classes in bins of 1 ms.
  connection::LoadTemplate mean_node() const;
  /// [class] mean over the iteration, AC watts
  std::vector<double> class_mean_W() const;
};
/// Every replica moves at the clock of its slowest GPU (limited_plan) and scatters as `scatter_frac` says (Jitter): those that are done
/// early wait for the gradients. GPUs are nominal chips that wait for that one, with dies at `die_K`; within an iteration their clocks
/// move as the limiter makes them. Fans draw nothing: the nodes are liquid-cooled.
/// @param gpu, server  entries of the catalog
PlanPower plan_power(const std::string& gpu, const std::string& server, const workload::IterationModel& model,
                     double scatter_frac, double die_K);

/// A wave of one iteration as meters show it whose last reading is up to `window_s` old, each node's another, behind a lag: a mean over the
/// window, then a first-order lag, both of the wave repeated for ever. @param W in steps of `step_s`
std::vector<double> through_meters(const std::vector<double>& W, double step_s, double window_s, double lag_s);

}  // namespace TIDEWATT_NAMESPACE::validate
