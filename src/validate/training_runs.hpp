#pragma once
#include <string>
#include <vector>

#include "row.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A published training run: everything it takes to predict its iteration time from catalog entries.
struct TrainingRun {
  std::string id;       ///< of its row
  std::string device;   ///< catalog entry of kind compute
  std::string model;    ///< catalog entry of kind model
  std::string network;  ///< catalog entry of kind network
  workload::ParallelPlan plan;
  double expected_s = 0.0;  ///< published iteration time, or what the published rate means
  double tolerance_frac = 0.0;
  std::string what, source;
};

/// Runs of the validation list whose iteration time is published, in its order; each names its source (arXiv 2104.04473, 2402.15627, 2205.05198, 2407.21783 among them).
std::vector<TrainingRun> training_runs();
/// The run of a row. @throws InputError where there is none
const TrainingRun& run_named(const std::vector<TrainingRun>& runs, const std::string& id);

/// Entry of the catalog by its name. @throws InputError where there is none, as for the next two
workload::ComputeParams compute_entry(const std::string& name);
/// Entry of kind model.
workload::ModelShape model_entry(const std::string& name);
/// Entry of kind network.
workload::NetworkParams network_entry(const std::string& name);

/// Iteration time of a run with the catalog's hardware, at the clock that its slowest GPU holds.
double iteration_s(const TrainingRun& run);
/// The same with another matrix efficiency.
double iteration_s(const TrainingRun& run, double matrix_efficiency_frac);
/// Matrix efficiency, ratio to peak, with which a run takes exactly its published time; the time falls with it, almost as 1/ε.
double exact_efficiency(const TrainingRun& run);

/// A run's step against the published one. A miss says what its software does not share with the row that sets the efficiency.
Row step_row(const TrainingRun& run, double s);

/// As published with Megatron-LM in 2021 (arXiv 2104.04473): everything is computed again, nothing overlaps.
workload::ParallelPlan megatron_plan(std::int64_t n_gpu, std::int64_t tp, std::int64_t pp, std::int64_t batch,
                                     std::int64_t micro_batch, std::int64_t chunks);
/// Megatron-LM as MegaScale compares with it (arXiv 2402.15627): sequence parallel, attention computed again.
workload::ParallelPlan megascale_baseline_plan(std::int64_t n_gpu, std::int64_t batch);
/// MegaScale (arXiv 2402.15627): fused attention, everything overlaps.
workload::ParallelPlan megascale_plan(std::int64_t n_gpu, std::int64_t batch);
/// Llama 3 405B at 8,192 tokens.
workload::ParallelPlan llama3_plan(std::int64_t n_gpu);
/// The same at 131,072 tokens.
workload::ParallelPlan llama3_long_context_plan();
/// GPT-3 175B of 64 nodes, MLPerf Training v4.0.
workload::ParallelPlan mlperf_gpt3_plan();
/// The one run that shows how long a host takes between iterations: GPT-3 175B in fp8 on 11,616 H100. In no list of runs.
TrainingRun host_gap_run();

/// Clock of the slowest GPU ÷ reference clock: each GPU of the job is drawn with its silicon and holds the mean clock that the sampled governor makes of its stage's iteration, as in a run
/// (fleet/stage_courses.hpp), with the die at the mean that air-cooled nodes show under load.
double slowest_pace(const std::string& device, const workload::IterationModel& model);
/// The same for a named entry of kind gpu, under another limit than its own. @param limit_W 0: the entry's
double slowest_pace_at(const std::string& gpu_entry, double limit_W, const workload::IterationModel& model);

}  // namespace TIDEWATT_NAMESPACE::validate
