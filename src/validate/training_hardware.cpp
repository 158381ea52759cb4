#include <algorithm>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "fleet/task.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
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

/// Catalog entry of kind gpu with a device's power model; empty: none yet.
std::string gpu_of(const std::string& device) { return device == "h100_sxm" ? "h100_sxm_700W" : ""; }

}  // namespace

workload::ComputeParams compute_entry(const std::string& name) {
  return entry<workload::ComputeParams>("compute", name);
}
workload::ModelShape model_entry(const std::string& name) { return entry<workload::ModelShape>("model", name); }
workload::NetworkParams network_entry(const std::string& name) {
  return entry<workload::NetworkParams>("network", name);
}

double slowest_pace(const std::string& device, const workload::IterationModel& model) {
  const std::string name = gpu_of(device);
  return name.empty() ? 1.0 : slowest_pace_at(name, 0.0, model);
}

double slowest_pace_at(const std::string& gpu_entry, double limit_W, const workload::IterationModel& model) {
  const Node values = catalog_in_use().values("gpu", gpu_entry);
  const power::GpuModel gpu(fields_of<power::GpuPowerParams>(*values.find("power")));
  const auto governor = fields_of<dvfs::GovernorParams>(*values.find("governor"));
  const auto spread = fields_of<power::SiliconSpreadParams>(*values.find("spread"));
  const double reference_Hz = model.reference_clock_Hz(),
               cap_W = (limit_W > 0.0 ? limit_W : gpu.params().tdp_W) - governor.cap_margin_W;
  const double warm = gpu.leakage_temperature_factor(loaded_die_K);

  const workload::Timeline timeline = model.iteration({{1.0}});
  std::vector<double> kind_W;
  for (const auto& kind : timeline.kinds) {
    const auto p = dvfs::phase_power(gpu, {}, fleet::mix_of(kind), reference_Hz, reference_Hz, 0.0);
    kind_W.push_back(p.fixed_W + p.leakage_W * warm);
  }
  std::vector<dvfs::PhaseMix> window;
  window.reserve(timeline.classes.size());
  for (std::size_t s = 0; s < timeline.classes.size(); ++s)
    window.push_back(fleet::worst_window(timeline, s, kind_W, governor.window_s));
  double slowest_Hz = gpu.clock_max_Hz();
  for (std::int64_t rank = 0; rank < model.n_gpu(); ++rank) {
    const auto chip = power::draw_chip(spread, 1, static_cast<std::uint64_t>(rank));
    const auto& mix = window[static_cast<std::size_t>(model.stage_of_gpu(rank))];
    const auto point = dvfs::operating_point(gpu, chip, mix, reference_Hz, 0.0, warm, cap_W, slowest_Hz, slowest_Hz);
    slowest_Hz = std::min(slowest_Hz, point.clock_Hz);
  }
  return slowest_Hz / reference_Hz;
}

double iteration_s(const TrainingRun& run, double matrix_efficiency_frac) {
  workload::ComputeParams gpu = compute_entry(run.device);
  gpu.matrix_efficiency_frac = matrix_efficiency_frac;
  const workload::IterationModel model(model_entry(run.model), run.plan, gpu, network_entry(run.network));
  const double pace = slowest_pace(run.device, model);
  return seconds(model.iteration({{pace}}).period);
}

double iteration_s(const TrainingRun& run) {
  return iteration_s(run, compute_entry(run.device).matrix_efficiency_frac);
}

}  // namespace TIDEWATT_NAMESPACE::validate
