#include <fmt/format.h>

#include <algorithm>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "limited_plan.hpp"
#include "silicon.hpp"
#include "tidewatt/base/error.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

template <class Params>
Params entry(const char* kind, const std::string& name) {
  return fields_of<Params>(catalog_in_use().values(kind, name));
}

/// Catalog entry of kind gpu: the air-cooled board of a device. @throws InputError for a device without published runs here
std::string gpu_of(const std::string& device) {
  if (device == "h100_sxm") return "h100_sxm_700W";
  if (device == "a100_sxm4_80GB") return "a100_sxm_400W";
  throw InputError(fmt::format("no board of '{}' among the published training runs", device));
}

}  // namespace

workload::ComputeParams compute_entry(const std::string& name) {
  return entry<workload::ComputeParams>("compute", name);
}
workload::ModelShape model_entry(const std::string& name) { return entry<workload::ModelShape>("model", name); }
workload::NetworkParams network_entry(const std::string& name) {
  return entry<workload::NetworkParams>("network", name);
}

double slowest_pace(const std::string& device, const workload::IterationModel& model) {
  return slowest_pace_at(gpu_of(device), 0.0, model);
}

double slowest_pace_at(const std::string& gpu_entry, double limit_W, const workload::IterationModel& model) {
  const auto pace = limited_plan(gpu_entry, limit_W, model).pace;
  return *std::min_element(pace.begin(), pace.end());
}

double iteration_s(const TrainingRun& run, double matrix_efficiency_frac) {
  workload::ComputeParams gpu = compute_entry(run.device);
  gpu.matrix_efficiency_frac = matrix_efficiency_frac;
  const workload::IterationModel model(model_entry(run.model), run.plan, gpu, network_entry(run.network));
  const double pace = slowest_pace(run.device, model);
  return seconds(model.iteration({{pace}}).period);
}

double exact_efficiency(const TrainingRun& run) {
  double efficiency = compute_entry(run.device).matrix_efficiency_frac;
  for (int i = 0; i < 6; ++i) efficiency *= iteration_s(run, efficiency) / run.expected_s;
  return efficiency;
}

Row step_row(const TrainingRun& run, double s) {
  Row row = against(run.id, run.what, "s", run.expected_s, s, run.tolerance_frac, run.source);
  if (row.verdict == Verdict::fail)
    row.note =
        "the A100's efficiency is that of Megatron-LM in 2021 (W1), at the clock that 400 W leave; later software "
        "gets more out of a cycle";
  return row;
}

double iteration_s(const TrainingRun& run) {
  return iteration_s(run, compute_entry(run.device).matrix_efficiency_frac);
}

}  // namespace TIDEWATT_NAMESPACE::validate
