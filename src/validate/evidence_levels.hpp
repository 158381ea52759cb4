#pragma once
// What the evidence rows compute, each by the path that a scenario takes: plan → schedule → clock under the limit → watts.
#include <string>

#include "evidence_runs.hpp"
#include "tidewatt/workload/inference.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Step of a run at the clock that its slowest GPU holds. @returns s
double step_s(const EvidenceRun& run);
/// What the run's publication gives: seconds per step, or tokens per second and GPU.
double published_unit(const EvidenceRun& run, double step_s);

/// Mean board power over one iteration and all stages: nominal chips, dies at `die_K`, at the slowest GPU's clock.
/// @returns W per GPU
double training_gpu_W(const EvidenceRun& run, double die_K);
/// AC power of a node in that run: the GPUs' mean through the server's losses. Immersed: no fans, dies at 60 °C; else dies of
/// loaded air-cooled nodes and fans at the speed they ask for. @returns W
double training_node_W(const EvidenceRun& run, bool immersed);
/// Energy of all GPUs per trained token, air-cooled. @returns J
double joule_per_token(const EvidenceRun& run);

/// Board power of a GPU without work at a known die temperature: clocks down and part of the leakage gated, or with a
/// context at the highest clock. @param die_degC in °C  @returns W
double rest_W(const std::string& gpu, double die_degC, bool context);
/// AC power of a node whose GPUs have no context, at 22 °C inlet. @returns W
double node_rest_W(const std::string& gpu, const std::string& server);

/// A service on GPUs of one type, with the clock that its governor leaves.
struct ServedLoad {
  workload::InferenceParams service;  ///< of one replica
  std::string gpu, network;           ///< catalog entries
};
/// Params with the reference scenario's lengths and overhead.
workload::InferenceParams reference_service(std::int64_t tp, std::int64_t max_batch);
/// Mean board power per GPU at full queue, air-cooled. @returns W
double service_gpu_W(const workload::ModelShape& shape, const ServedLoad& load);
/// Output tokens per second and GPU of one batch of `max_batch` requests decoded together after their prompts.
double batch_tokens_per_s(const workload::ModelShape& shape, const ServedLoad& load);

/// Mean time between unexpected failures of servers of eight GPUs. @param rates entry of kind failures  @returns h
double hours_between_failures(const std::string& rates, double n_gpu);
/// Time from a failure until the job iterates again, without what is computed anew: detection, replacement, set-up, loading, first
/// steps. @param job entry of kind job  @param model whose checkpoint is loaded  @returns s
double restart_s(const std::string& job, const std::string& model, double n_gpu);
/// Share of the time that a job's failures and saves cost, walked for ten days with five seeds.
/// @param iteration_s length of an iteration  @returns dimensionless
double lost_frac(const std::string& rates, const std::string& job, const std::string& model, double n_gpu,
                 double iteration_s);
/// By how much longer a run's step is if one GPU's clock is lower. @param pace its clock over that of the others  @returns dimensionless
double slow_gpu_frac(const EvidenceRun& run, double pace);

/// Spread of the clocks of eight chips under their limit in a dense GEMM: (fastest − slowest) over fastest, mean over nodes of
/// `server`, each chip with its own leakage, voltage, thermal resistance and place. @returns dimensionless
double node_clock_range_frac(const std::string& gpu, const std::string& server);
/// Standard deviation over mean of the nodes' AC power in a synchronous job whose GPUs wait for the slowest: immersed, no fans.
/// @param n_node of the job  @returns dimensionless
double node_power_scatter_frac(const std::string& gpu, const std::string& server, std::size_t n_node);

}  // namespace TIDEWATT_NAMESPACE::validate
