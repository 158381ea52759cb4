#include "evidence_levels.hpp"

#include <algorithm>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "fleet/task.hpp"
#include "limited_plan.hpp"
#include "silicon.hpp"
#include "training_runs.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double immersed_die_K = 60.0 + zero_degC_K;  // assumed, as row P6
constexpr double inlet_K = 22.0 + zero_degC_K;

workload::IterationModel model_of(const EvidenceRun& run) { return {run.shape, run.plan, run.compute, run.network}; }

/// Mean over classes and time. @param W [class][segment]
double mean_W(const workload::Timeline& timeline, const fleet::ClassPower& W) {
  double J = 0.0;
  for (std::size_t c = 0; c < W.size(); ++c)
    for (std::size_t i = 0; i < W[c].size(); ++i) J += W[c][i] * seconds(timeline.classes[c][i].duration);
  return J / (seconds(timeline.period) * static_cast<double>(W.size()));
}

/// Mean watts of a nominal GPU over the repeating timeline of a service at a clock that is given, as a run has services.
double mean_gpu_W(const GpuCase& gpu, const ServerCase& server, const workload::Timeline& timeline, double reference_Hz,
                  double clock_Hz, double die_K) {
  const auto type = fleet::make_node_type(gpu.power, gpu.governor, server.power, server.air, gpu.package,
                                          gpu.power.tdp_W, gpu.power.vf_clock_Hz.back());
  fleet::FleetTask task;
  fleet::set_kinds(task, timeline, type, reference_Hz);
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    task.class_window.push_back(fleet::worst_window(timeline, c, task.kind_reference_W, gpu.governor.window_s));
    task.class_gate_Hz.push_back(clock_Hz);
  }
  fleet::ClassPower W;
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const auto kind_W = fleet::nominal_kind_W(task, type, type.usual, c, die_K);
    auto& of_class = W.emplace_back();
    for (const auto& segment : timeline.classes[c]) of_class.push_back(kind_W[segment.kind]);
  }
  return mean_W(timeline, W);
}

/// Clock of a nominal chip whose worst window meets the limit ÷ reference clock.
double governed_pace(const GpuCase& gpu, const workload::Timeline& timeline) {
  const power::GpuModel model(gpu.power);
  const double reference_Hz = gpu.compute.reference_clock_Hz;
  const double warm = model.leakage_temperature_factor(air_die_K);
  std::vector<double> kind_W;
  for (const auto& kind : timeline.kinds) {
    const auto p = dvfs::phase_power(model, {}, fleet::mix_of(kind), reference_Hz, reference_Hz, 0.0);
    kind_W.push_back(p.at_W(warm));
  }
  const auto window = fleet::worst_window(timeline, 0, kind_W, gpu.governor.window_s);
  const auto point =
      dvfs::operating_point(model, {}, window, reference_Hz, 0.0, warm, dvfs::limit_W(gpu.power.tdp_W, gpu.governor),
                            model.clock_max_Hz(), model.clock_max_Hz());
  return point.clock_Hz / reference_Hz;
}

}  // namespace

Served served(const workload::ModelShape& shape, const ServedLoad& load, const GpuCase& gpu) {
  workload::InferenceService service(shape, load.service, gpu.compute, network_entry(load.network));
  const double pace = governed_pace(gpu, service.steady(service.capacity_per_s(1.0), 1.0).timeline);
  auto hour = service.steady(service.capacity_per_s(pace), pace);
  return {std::move(service), pace, std::move(hour)};
}

double step_s(const EvidenceRun& run) {
  const auto model = model_of(run);
  return seconds(model.iteration({{slowest_pace_at(run.gpu, run.tdp_W, model)}}).period);
}

double published_unit(const EvidenceRun& run, double step_s) {
  return run.per_second ? run.plan.tokens_per_iteration() / (step_s * static_cast<double>(run.plan.n_gpu)) : step_s;
}

double training_gpu_W(const EvidenceRun& run, double die_K) {
  const auto model = model_of(run);
  auto plan = limited_plan(run.gpu, run.tdp_W, model);
  const std::vector<double> slowest{*std::min_element(plan.pace.begin(), plan.pace.end())};
  const auto timeline = model.iteration(slowest);
  return mean_W(timeline, gpu_powers(plan, model, timeline, slowest, die_K));
}

double training_node_W(const EvidenceRun& run, bool immersed) {
  const ServerCase server = server_case(run.server);
  const double die_K = immersed ? immersed_die_K : air_die_K;
  const double fan_frac = immersed ? 0.0 : thermal::fan_target_frac(server.air, die_K);
  const double gpus_W = static_cast<double>(server.power.n_gpu) * training_gpu_W(run, die_K);
  return power::server_power(server.power, gpus_W, fan_frac, true).ac_W;
}

double joule_per_token(const EvidenceRun& run) {
  const double gpu_s = step_s(run) * static_cast<double>(run.plan.n_gpu);
  return training_gpu_W(run, air_die_K) * gpu_s / run.plan.tokens_per_iteration();
}

double rest_W(const std::string& gpu_name, double die_degC, bool context, double clock_Hz) {
  GpuCase gpu = gpu_case(gpu_name);
  gpu.power.wait_activity = 0.0;
  if (context) {
    const Node anchors = catalog_in_use().values("anchors", "h100_sxm_700W_anchors");
    gpu.power.wait_activity = number_of(member(anchors, "context"), "matrix_frac");
  } else {
    gpu.power.leakage_W *= gpu.power.rest_leakage_ratio;
  }
  const power::GpuModel model(gpu.power);
  dvfs::PhaseMix wait;
  wait.wait_s = 1.0;
  const double up_Hz = clock_Hz > 0.0 ? clock_Hz : model.clock_max_Hz();
  return power_of(gpu, model, wait, gpu.compute.reference_clock_Hz,
                  context ? up_Hz : model.idle_clock_Hz())(die_degC + zero_degC_K);
}

double node_rest_W(const std::string& gpu_name, const std::string& server_name) {
  GpuCase gpu = gpu_case(gpu_name);
  gpu.power.leakage_W *= gpu.power.rest_leakage_ratio, gpu.power.wait_activity = 0.0;
  const ServerCase server = server_case(server_name);
  const power::GpuModel model(gpu.power);
  dvfs::PhaseMix wait;
  wait.wait_s = 1.0;
  const auto s = steady_node(
      gpu, server, power_of(gpu, model, wait, gpu.compute.reference_clock_Hz, model.idle_clock_Hz()), inlet_K);
  return power::server_power(server.power, s.gpu_sum_W(), s.fan_frac, false).ac_W;
}

workload::InferenceParams reference_service(std::int64_t tp, std::int64_t max_batch) {
  workload::InferenceParams p;
  p.peak_requests_per_s = 1.0, p.hour_frac.assign(24, 1.0);
  p.prompt_tokens = 1000, p.output_tokens = 250, p.step_overhead_s = 2e-3;
  p.tp = tp, p.n_replica = 1, p.max_batch = max_batch;
  return p;
}

double service_gpu_W(const workload::ModelShape& shape, const ServedLoad& load) {
  const GpuCase gpu = gpu_case(load.gpu);
  const Served s = served(shape, load, gpu);
  const double reference_Hz = gpu.compute.reference_clock_Hz;
  return mean_gpu_W(gpu, server_case("dgx_h100"), s.hour.timeline, reference_Hz, s.pace * reference_Hz, air_die_K);
}

double batch_tokens_per_s(const workload::ModelShape& shape, const ServedLoad& load) {
  const Served s = served(shape, load, gpu_case(load.gpu));
  const auto batch = static_cast<double>(load.service.max_batch),
             output = static_cast<double>(load.service.output_tokens);
  const double batch_s = batch * s.service.prefill_s(s.pace) + output * s.service.step_s(batch, s.pace);
  return batch * output / (batch_s * static_cast<double>(load.service.tp));
}

}  // namespace TIDEWATT_NAMESPACE::validate
