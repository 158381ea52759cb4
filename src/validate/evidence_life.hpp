#pragma once
// What the evidence rows compute about failures and restarts.
#include <string>

#include "evidence_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {

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

}  // namespace TIDEWATT_NAMESPACE::validate
