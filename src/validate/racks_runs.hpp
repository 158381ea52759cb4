#pragma once
#include <string>
#include <vector>

#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A published run of racks_rows.toml with what it takes to compute it from the plan.
struct RackRun {
  std::string id, what, source;
  bool fitted = false;  ///< sets one parameter of its device and precision; else nothing was set by it
  std::string device, gpu, model, network;  ///< catalog entries of kind compute, gpu, model and network
  double tdp_W = 0.0;                       ///< limit in that run; 0: the GPU entry's
  double hbm_B_per_s = 0.0;                 ///< memory of that run's boards; 0: the device's
  workload::ParallelPlan plan;
  double expected_s = 0.0;  ///< published step, or what the published tokens per second and GPU mean
  double tolerance_frac = 0.0;
};

/// All runs of the list, in its order. @throws InputError with everything wrong in it
std::vector<RackRun> rack_runs();

/// The catalog's parameters of a run's device.
workload::ComputeParams device_of(const RackRun& run);
/// The parameter that a fitted run of this precision and model sets: the dense efficiency of the precision, or the ratio of
/// grouped products for a mixture of experts.
double& fitted_parameter(workload::ComputeParams& gpu, const RackRun& run);

/// Clock of the run's slowest GPU ÷ reference clock, with the catalog's parameters.
double pace_of(const RackRun& run);
/// Step of a run at a pace. Memory does not refuse a published run.
/// @param gpu device parameters, those of the catalog or with another efficiency  @returns s
double step_s(const RackRun& run, workload::ComputeParams gpu, double pace);
/// With the catalog's parameters and the pace that they give. @returns s
double step_s(const RackRun& run);
/// Value of the fitted parameter with which a run takes its published time, dimensionless; 0 where none does, because what
/// the parameter does not touch takes longer already.
double exact_parameter(const RackRun& run);
/// What the fullest GPU needs over its memory, as a sentence; empty where it fits.
std::string memory_excess(const RackRun& run);

}  // namespace TIDEWATT_NAMESPACE::validate
