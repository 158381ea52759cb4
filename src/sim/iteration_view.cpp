#include "iteration_view.hpp"

#include <fmt/format.h>

#include <iterator>

#include "build_fleet.hpp"
#include "fleet/training_task.hpp"
#include "workload/iteration_text.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

std::size_t first_node_of(const Scenario& scenario, const fleet::Fleet& fleet, const JobSpec& job) {
  std::size_t node = 0;
  for (const auto& j : scenario.jobs) {
    if (j.name == job.name) break;
    node += static_cast<std::size_t>(j.plan.n_gpu) / fleet.n_gpu_per_node;
  }
  return node;
}

}  // namespace

IterationView view_iteration(const Scenario& scenario, const JobSpec& job) {
  const fleet::Fleet fleet = build_fleet(scenario);
  const std::size_t first_node = first_node_of(scenario, fleet, job);
  const std::vector<double> warm(fleet.n_node(), view_die_K);
  fleet::FleetState state = idle_state(fleet, warm);
  fleet::FleetSignals signals = make_signals(fleet);
  const auto& hall = scenario.halls[fleet.node_hall[first_node]];
  fleet::TrainingTask::Options options;
  options.replica_groups = scenario.run.replica_groups;
  options.gating = scenario.run.gating;
  options.hold = {scenario.gpu_smoothing, scenario.ballast};
  fleet::TrainingTask maker(workload::IterationModel(job.model, job.plan, hall.compute, job.network), fleet, first_node,
                            options);
  fleet::FleetTask task;
  task.inlet_K = warm;
  const std::vector<double> air_J_per_m3_K(fleet.types.size(), 1.2e3);
  task.air_J_per_m3_K = air_J_per_m3_K;  // of room air: only rear rows ask, and nothing warms in a microsecond
  maker.set_work(fleet::TrainingTask::Work::iterate, 0, state, 1e-6, signals, task);  // at the dies as they are

  IterationView view;
  view.job = job.name;
  view.n_stage = maker.model().n_stage();
  view.n_gpu = job.plan.n_gpu;
  view.timeline = maker.timeline();
  const auto stages = static_cast<std::size_t>(view.n_stage);
  const auto n_group = view.timeline.classes.size() / stages;
  for (std::size_t g = 0; g < n_group; ++g)
    view.group_Hz.push_back(options.gating ? task.class_gate_Hz[g * stages] : maker.slowest_Hz());
  view.class_gpus.assign(view.timeline.classes.size(), 0);
  for (const auto cls : task.node_class) view.class_gpus[cls] += static_cast<std::int64_t>(fleet.n_gpu_per_node);
  view.gpu_W = fleet::nominal_kind_W(task, fleet.types[fleet.node_hall[first_node]],
                                     state.controls[fleet.node_hall[first_node]], 0, view_die_K);
  view.tflops_per_gpu = maker.model().model_flops_per_iteration() / seconds(view.timeline.period) /
                        static_cast<double>(view.n_gpu) * 1e-12;
  view.mfu_percent = 100.0 * view.tflops_per_gpu / (hall.compute.matrix_FLOP_per_s * 1e-12);
  return view;
}

std::string view_text(const IterationView& view) {
  std::string out = fmt::format(
      "job {}: {} GPUs, iteration {:.4f} s, {:.1f} TFLOP/s per GPU, {:.1f} % MFU, dies at {:.0f} °C\nslowest clock of "
      "each replica group:",
      view.job, view.n_gpu, seconds(view.timeline.period), view.tflops_per_gpu, view.mfu_percent, view_die_K - 273.15);
  for (const double f : view.group_Hz) fmt::format_to(std::back_inserter(out), " {:.0f}", f * 1e-6);
  out += " MHz\nboard power of a nominal chip:";
  for (std::size_t k = 0; k < view.gpu_W.size(); ++k)
    fmt::format_to(std::back_inserter(out), "{} {} {:.0f} W", k > 0 ? "," : "", view.timeline.kinds[k].name,
                   view.gpu_W[k]);
  workload::Timeline slowest{view.timeline.kinds, {}, view.timeline.period};
  slowest.classes.assign(view.timeline.classes.begin(), view.timeline.classes.begin() + view.n_stage);
  return out + "\nthe slowest group:\n" + workload::iteration_text(slowest, view.n_stage);
}

}  // namespace TIDEWATT_NAMESPACE::sim
