#include "iteration_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "build_fleet.hpp"
#include "fleet/training_task.hpp"
#include "job.hpp"
#include "tidewatt/power/server.hpp"
#include "workload/iteration_text.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr std::int64_t n_scattered = 256;  ///< iterations whose mean stands for all, where they scatter

/// A job's ranks on a fleet at rest with warm dies, in an iteration.
struct Stage {
  fleet::Fleet fleet;
  JobPlace place;
  std::vector<double> warm, air_J_per_m3_K;
  fleet::FleetState state;
  fleet::FleetSignals signals;
  fleet::TrainingTask maker;
  fleet::FleetTask task;

  Stage(const Scenario& s, const JobSpec& job)
      : fleet(build_fleet(s)),
        place(place_of(s, fleet, job)),
        warm(fleet.n_node(), view_die_K),
        // Of room air: only rear rows ask, and nothing warms in a microsecond.
        air_J_per_m3_K(fleet.types.size(), thermal::reference_air_J_per_m3_K),
        state(idle_state(fleet, warm)),
        signals(make_signals(fleet)),
        maker(training_model(s, fleet, job, place), fleet, place.first_node, options(s, job, place)) {
    task.inlet_K = warm;
    task.air_J_per_m3_K = air_J_per_m3_K;
    // At the dies as they are, in step with the job's beat.
    const Tick begin = job.beat ? to_tick(job.beat->phase_s) : 0;
    maker.set_work(fleet::TrainingTask::Work::iterate, 0, state, 1e-6, signals, task, 0, begin);
    if (maker.scatters() && !holds_power(s)) maker.set_mean(0, n_scattered, begin, task);
  }
  /// The run's own. Under smoothing, which has no mean of iterations, without the scatter of a single one.
  static fleet::TrainingTask::Options options(const Scenario& s, const JobSpec& job, const JobPlace& place) {
    auto out = training_options(s, job, place);
    if (holds_power(s)) out.jitter.reset();
    return out;
  }
  std::size_t hall() const { return fleet.node_hall[place.first_node]; }
  std::vector<double> kind_W(std::size_t hall, std::size_t cls) const {
    return fleet::nominal_kind_W(task, fleet.types[hall], state.controls[hall], cls, view_die_K);
  }
  /// Of one of the job's servers at its AC input.
  double server_W(std::size_t hall, double gpu_W, bool busy) const {
    return power::server_power(fleet.types[hall].server, gpu_W * static_cast<double>(fleet.n_gpu_per_node), 1.0, busy)
        .ac_W;
  }
};

/// Adds a class's phases to means over milliseconds. @param W [kind] of the class
void add_phases(const std::vector<workload::Segment>& segments, const std::vector<double>& W, std::vector<double>& to) {
  Tick at = 0;
  for (const auto& s : segments) {
    for (Tick left = s.duration; left > 0;) {
      const Tick ms = at / ns_per_ms, here = std::min(left, (ms + 1) * ns_per_ms - at);
      to[static_cast<std::size_t>(ms)] += W[s.kind] * static_cast<double>(here);
      at += here, left -= here;
    }
  }
}

}  // namespace

IterationView view_iteration(const Scenario& scenario, const JobSpec& job) {
  const Stage stage(scenario, job);
  const auto& maker = stage.maker;
  IterationView view;
  view.job = job.name;
  view.n_stage = maker.model().n_stage();
  view.n_gpu = job.plan.n_gpu;
  view.timeline = maker.timeline();
  const auto stages = static_cast<std::size_t>(view.n_stage);
  const auto n_group = view.timeline.classes.size() / stages;
  for (std::size_t g = 0; g < n_group; ++g)
    view.group_Hz.push_back(scenario.run.gating ? stage.task.class_gate_Hz[g * stages] : maker.slowest_Hz());
  view.class_gpus.assign(view.timeline.classes.size(), 0);
  for (const auto cls : stage.task.node_class)
    view.class_gpus[cls] += static_cast<std::int64_t>(stage.fleet.n_gpu_per_node);
  view.gpu_W = stage.kind_W(stage.hall(), 0);
  const auto& compute = scenario.halls[stage.hall()].compute;
  view.used = workload::utilisation(maker.model(), compute,
                                    maker.model().tokens_per_iteration() / seconds(view.timeline.period));
  return view;
}

JobWatts job_watts(const Scenario& scenario, const JobSpec& job) {
  Stage stage(scenario, job);
  JobWatts out;
  out.job = job.name;
  out.n_gpu = job.plan.n_gpu;
  const workload::Timeline timeline = stage.maker.timeline();
  const std::vector<std::uint32_t> node_class(stage.task.node_class.begin(), stage.task.node_class.end());
  out.period_s = seconds(timeline.period);
  out.iteration_W.assign(static_cast<std::size_t>((timeline.period + ns_per_ms - 1) / ns_per_ms), 0.0);
  // Servers of one hall and class are alike.
  std::map<std::pair<std::size_t, std::size_t>, double> n_alike;
  for (std::size_t i = 0; i < node_class.size(); ++i)
    ++n_alike[{stage.fleet.node_hall[stage.place.first_node + i], node_class[i]}];
  for (const auto& [at, n] : n_alike) {
    auto W = stage.kind_W(at.first, at.second);
    for (double& x : W) x = n * stage.server_W(at.first, x, true);
    add_phases(timeline.classes[at.second], W, out.iteration_W);
  }
  for (const double J : out.iteration_W) out.mean_W += J / static_cast<double>(timeline.period);
  for (std::size_t ms = 0; ms < out.iteration_W.size(); ++ms)
    out.iteration_W[ms] /=
        static_cast<double>(std::min(ns_per_ms, timeline.period - static_cast<Tick>(ms) * ns_per_ms));
  const workload::JobSize size{job.plan.n_gpu, stage.maker.model().model_checkpoint_bytes()};
  out.detect_s = job.life.detect_s, out.replace_s = job.life.replace_s, out.warm_up_s = job.life.warm_up_s;
  out.initialise_s = workload::initialise_s(job.life, size), out.load_s = workload::load_s(job.life, size);
  const auto held_W = [&](const workload::PhaseKind& kind) {
    stage.maker.set_hold(kind, ns_per_s, stage.state, stage.signals, stage.task);
    double sum = 0.0;
    for (const auto& [at, n] : n_alike)
      sum += n * stage.server_W(at.first, stage.kind_W(at.first, 0).front(), kind.context);
    return sum;
  };
  workload::PhaseKind waiting, idle, load;
  waiting.wait_s = idle.wait_s = 1.0;
  idle.context = false;
  const double copy_s = size.checkpoint_B / static_cast<double>(size.n_gpu) / job.life.load_per_gpu_B_per_s;
  load.link_s = out.load_s > 0.0 ? std::min(1.0, copy_s / out.load_s) : 0.0;
  load.wait_s = 1.0 - load.link_s;
  load.link_frac = job.life.copy_link_frac;
  out.waiting_W = held_W(waiting), out.idle_W = held_W(idle), out.load_W = held_W(load);
  return out;
}

std::string view_text(const IterationView& view) {
  std::string out = fmt::format(
      "job {}: {} GPUs, iteration {:.4f} s, {:.1f} TFLOP/s per GPU, {:.1f} % MFU (causal attention) and {:.1f} % HFU "
      "(full attention, recomputation) of {:.1f} TFLOP/s in {}{}, dies at {:.0f} °C\nslowest clock of each replica "
      "group:",
      view.job, view.n_gpu, seconds(view.timeline.period), view.used.tflops_per_gpu, view.used.mfu_percent(),
      view.used.hfu_percent(), view.used.peak_TF, view.used.precision,
      view.used.precision == "bf16" ? "" : fmt::format(" ({:.1f} % MFU in bf16)", view.used.mfu_bf16_percent()),
      view_die_K - 273.15);
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
