#pragma once
#include <cstdint>
#include <string>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/jitter.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Life of a training job outside its iterations. No parameter sets the iteration time, which is a result.
struct TIDEWATT_API JobParams {
  double start_s = 0.0;                     ///< when the GPUs are given to the job
  std::int64_t total_iterations = 0;        ///< 0 = as long as the run lasts
  std::string initialise = "current";       ///< communicator set-up: naive | improved | current
  double initialise_base_s = 0.0;           ///< containers, imports, data pipeline
  double arrive_s = 0.0;                    ///< time within which the hosts start their processes, one after another
  double load_per_gpu_B_per_s = 0.0;        ///< storage or host to one GPU
  double storage_B_per_s = 0.0;             ///< shared by all ranks of the job
  double warm_up_s = 0.0;                   ///< first steps: allocator, autotuning, data cache
  double checkpoint_interval_s = 0.0;       ///< 0 = never
  double checkpoint_first_s = 0.0;          ///< until the first one; 0 = the interval
  double checkpoint_base_s = 0.0;           ///< barriers and metadata
  double checkpoint_per_gpu_B_per_s = 0.0;  ///< copy rate out of one GPU
  bool checkpoint_async = false;            ///< only the copy to host memory blocks; durable once storage has it
  double copy_link_frac = 0.0;              ///< share of peak link bandwidth while loading or saving
  std::int64_t evaluation_interval_iterations = 0;  ///< 0 = never
  std::int64_t evaluation_batches = 1;              ///< global batches per evaluation
  double detect_s = 0.0;         ///< from a failure until the job is torn down, unless the cause has its own time
  double tear_down_s = 0.0;      ///< time in which the hosts' processes end, one after another
  double replace_s = 0.0;        ///< time to bring in a spare node and start processes
  double thermal_reset_s = 0.0;  ///< until a node that switched itself off is in service again; 0 = restarted in place
  std::int64_t thermal_restarts = 2;  ///< after nodes switched off by heat, while parts of the cooling plant are out
  std::int64_t spare_nodes = -1;      ///< spare nodes at the start; -1 = unlimited
  std::int64_t spare_racks =
      -1;  ///< where a scale-up domain has several nodes: spare domains at the start; -1 = unlimited
  double planned_stop_s = 0.0;          ///< length of planned maintenance
  std::string planned_stop = "drain";   ///< drain (end the iteration, save, stop) | at_once (lose what is not saved)
  std::string soft_style = "replicas";  ///< soft start and stop: replicas (some work) | clock (all work slowly)
  double soft_start_s = 0.0;            ///< 0 = all at once
  double soft_stop_s = 0.0;             ///< 0 = all at once
  std::int64_t soft_stages = 1;         ///< steps of a soft start or stop
  double soft_clock_frac = 1.0;         ///< style clock: share of the free clock in the lowest stage
  double soft_burn_activity = 0.0;      ///< matrix-unit activity of the filler work in ramps; 0 = waiting kernels
  JitterParams jitter;                  ///< scatter of iteration times

  void fields(FieldVisitor& v);
};

/// Size of a job, from its model and plan.
struct TIDEWATT_API JobSize {
  std::int64_t n_gpu = 0;
  double checkpoint_B = 0.0;
};

/// Start of the processes, max(arrive_s, initialise_base_s), + set-up of the communicators, which waits for the last host.
/// naive: every group's barrier goes through a blocking store, c n²;
/// improved: a non-blocking store, the same n² barriers; current: one ordered pass, c n.
/// Fitted to arXiv 2402.15627: 1,047 s and 361 s at 2,048 GPUs; < 5 s there and < 30 s above 10,000.
TIDEWATT_API double initialise_s(const JobParams& job, const JobSize& size);
/// Time between the first host's and the last one's begin to load, and between their ends, s: arrive_s, but at most half of the time to
/// load all at once.
TIDEWATT_API double load_spread_s(const JobParams& job, const JobSize& size);
/// Time to load, s: the whole checkpoint over the shared storage or one GPU's share over its own path behind the last host's begin,
/// whichever is slower.
TIDEWATT_API double load_s(const JobParams& job, const JobSize& size);
/// Time for which a checkpoint stops the job: the base, plus the per-GPU copy (asynchronous) or the slower of copy and storage.
TIDEWATT_API double checkpoint_blocking_s(const JobParams& job, const JobSize& size, bool async);
/// Time after the blocking part until an asynchronous checkpoint is durable.
TIDEWATT_API double checkpoint_drain_s(const JobParams& job, const JobSize& size);

/// Share of the whole in stage k = 0 … n-1 of a ramp up: replicas (k + 1)/(n + 1); clock f + (1 - f) k/n with the
/// floor f = soft_clock_frac. A ramp down runs through the same stages backwards.
/// @returns dimensionless, 0 to 1
TIDEWATT_API double soft_share(const JobParams& job, std::int64_t stage);

}  // namespace TIDEWATT_NAMESPACE::workload
