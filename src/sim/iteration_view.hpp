#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"
#include "tidewatt/workload/timeline.hpp"
#include "workload/utilisation.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// One iteration of a job, before anything has run: the schedule that its plan gives at the clocks which the fleet's own
/// chips have under their limits with every die at `view_die_K`.
struct IterationView {
  std::string job;
  std::int64_t n_stage = 0, n_gpu = 0;
  workload::Timeline timeline;           ///< classes [replica group × n_stage + stage], slowest group first
  std::vector<double> group_Hz;          ///< [replica group] clock of its slowest GPU
  std::vector<std::int64_t> class_gpus;  ///< [class]
  std::vector<double> gpu_W;             ///< [kind] board power of a nominal chip that waits for the slowest group
  workload::Utilisation used;
};

inline constexpr double view_die_K = 338.15;  ///< 65 °C: a loaded chip in air (assumed; a run finds its own)

/// @throws InputError if a node would have several pipeline stages
IterationView view_iteration(const Scenario& scenario, const JobSpec& job);

/// Power of a job's servers at their AC inputs, W, and its times, before anything has run: as view_iteration, with fans at full
/// speed, as in the site's design power.
struct JobWatts {
  std::string job;
  std::int64_t n_gpu = 0;
  double period_s = 0.0;            ///< of an iteration
  std::vector<double> iteration_W;  ///< [ms] means over one iteration; the last one may be shorter
  double mean_W = 0.0;              ///< over an iteration
  double waiting_W = 0.0;           ///< all ranks wait for others: spinning kernels
  double idle_W = 0.0;              ///< no job on the servers
  double load_W = 0.0;              ///< weights come from storage
  /// From a failure until the job is torn down, until its processes are started again, set up, loaded, warm.
  double detect_s = 0.0, replace_s = 0.0, initialise_s = 0.0, load_s = 0.0, warm_up_s = 0.0;
};

/// @throws InputError if a node would hold several pipeline stages
JobWatts job_watts(const Scenario& scenario, const JobSpec& job);

/// The view as text: figures, every kind's power, and the slowest group's timeline (workload/iteration_text).
std::string view_text(const IterationView& view);

}  // namespace TIDEWATT_NAMESPACE::sim
