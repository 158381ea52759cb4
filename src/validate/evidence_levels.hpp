#pragma once
// What the evidence rows compute, each by the path that a scenario takes: plan → schedule → clock under the limit → watts.
#include <string>

#include "evidence_runs.hpp"
#include "silicon.hpp"
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

/// Dies of loaded air-cooled H100, mean over a node (row T1).
inline constexpr double air_die_K = 63.0 + zero_degC_K;
/// Board power of a GPU without work at a known die temperature: clocks down and part of the leakage gated, or with a
/// context at the highest clock. @param die_degC in °C  @param clock_Hz of a GPU whose clocks are up, 0: the highest  @returns W
double rest_W(const std::string& gpu, double die_degC, bool context, double clock_Hz = 0.0);
/// AC power of a node whose GPUs have no context, at 22 °C inlet. @returns W
double node_rest_W(const std::string& gpu, const std::string& server);

/// A service on GPUs of one type, with the clock that its governor leaves.
struct ServedLoad {
  workload::InferenceParams service;  ///< of one replica
  std::string gpu, network;           ///< catalog entries
};
/// Params with the reference scenario's lengths and overhead.
workload::InferenceParams reference_service(std::int64_t tp, std::int64_t max_batch);
/// The service itself, its clock over the reference clock, and its steady hour at full queue.
struct Served {
  workload::InferenceService service;
  double pace = 0.0;
  workload::InferenceHour hour;
};
/// @param gpu in place of the load's entry
Served served(const workload::ModelShape& shape, const ServedLoad& load, const GpuCase& gpu);
/// Mean board power per GPU at full queue, air-cooled. @returns W
double service_gpu_W(const workload::ModelShape& shape, const ServedLoad& load);
/// Output tokens per second and GPU of one batch of `max_batch` requests decoded together after their prompts.
double batch_tokens_per_s(const workload::ModelShape& shape, const ServedLoad& load);

}  // namespace TIDEWATT_NAMESPACE::validate
