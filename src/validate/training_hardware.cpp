#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "fleet/stage_courses.hpp"
#include "fleet/task.hpp"
#include "silicon.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/power/gpu.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// Die temperature of air-cooled H100 under load, mean over the positions of a node (validation row T1).
constexpr double loaded_die_K = 273.15 + 63.0;

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

/// The GPU under a limit, as a run has it. Its die answers to power as in a DGX H100: within an iteration the server hardly matters.
fleet::NodeType node_type(const GpuCase& gpu) {
  const ServerCase server = server_case("dgx_h100");
  auto type = fleet::make_node_type(gpu.power, gpu.governor, server.power, server.air, gpu.package, gpu.power.tdp_W,
                                    gpu.power.vf_clock_Hz.back());
  type.sampling = entry<dvfs::SampledGovernorParams>("governor", "nvidia_sampled");
  return type;
}

/// Mean clocks of these chips, all of one stage.
std::vector<double> clocks_Hz(const fleet::FleetTask& task, const fleet::NodeType& type, std::size_t stage,
                              std::span<const power::Chip> chip) {
  const std::vector<double> die_K(chip.size(), loaded_die_K),
      limit_W(chip.size(), type.usual.cap_W - type.governor.cap_margin_W);
  std::vector<double> clock_Hz(chip.size(), 0.0);
  std::vector<dvfs::Limiter> limiter(chip.size());
  dvfs::OperatingPointBatch batch{chip, die_K, limit_W, clock_Hz, limiter};
  fleet::set_falling(task, stage, limit_W[0], batch);
  dvfs::operating_points(type.gpu, task.class_window[stage], task.reference_Hz, 0.0, type.gpu.clock_max_Hz(), batch);
  return clock_Hz;
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
  const auto pace = replica_paces_at(gpu_entry, limit_W, model);
  return *std::min_element(pace.begin(), pace.end());
}

std::vector<double> replica_paces_at(const std::string& gpu_entry, double limit_W,
                                     const workload::IterationModel& model) {
  GpuCase gpu = gpu_case(gpu_entry);
  if (limit_W > 0.0) gpu.power.tdp_W = limit_W;
  const fleet::NodeType type = node_type(gpu);
  fleet::StageCourses courses;
  courses.set_limits(model, type, gpu.power.tdp_W, type.gpu.clock_max_Hz());
  fleet::FleetTask task;
  task.reference_Hz = model.reference_clock_Hz();
  struct Stage {
    std::vector<power::Chip> chip;
    std::vector<std::size_t> replica;
  };
  std::vector<Stage> stages(courses.lead().size());
  for (const auto& course : courses.lead()) {
    task.class_course.emplace_back(course);
    task.class_window.push_back(course.nominal.all);
  }
  for (std::int64_t rank = 0; rank < model.n_gpu(); ++rank) {
    Stage& stage = stages[static_cast<std::size_t>(model.stage_of_gpu(rank))];
    stage.chip.push_back(power::draw_chip(gpu.spread, 1, static_cast<std::uint64_t>(rank)));
    stage.replica.push_back(static_cast<std::size_t>(model.replica_of_gpu(rank)));
  }
  std::vector<double> pace(static_cast<std::size_t>(model.dp()), type.gpu.clock_max_Hz() / task.reference_Hz);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto clock_Hz = clocks_Hz(task, type, s, stages[s].chip);
    for (std::size_t i = 0; i < clock_Hz.size(); ++i) {
      double& slowest = pace[stages[s].replica[i]];
      slowest = std::min(slowest, clock_Hz[i] / task.reference_Hz);
    }
  }
  return pace;
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
