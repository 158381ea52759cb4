#include "limited_plan.hpp"

#include <algorithm>
#include <span>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "fleet/nominal_power.hpp"
#include "fleet/task.hpp"
#include "silicon.hpp"
#include "tidewatt/power/gpu.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// Die temperature of air-cooled H100 under load, mean over the positions of a node (validation row T1).
constexpr double loaded_die_K = 273.15 + 63.0;

/// The GPU under a limit, as a run has it. Its die answers to power as in a DGX H100: within an iteration the server hardly matters.
fleet::NodeType node_type(const GpuCase& gpu) {
  const ServerCase server = server_case("dgx_h100");
  auto type = fleet::make_node_type(gpu.power, gpu.governor, server.power, server.air, gpu.package, gpu.power.tdp_W,
                                    gpu.power.vf_clock_Hz.back());
  type.sampling = fields_of<dvfs::SampledGovernorParams>(catalog_in_use().values("governor", "nvidia_sampled"));
  return type;
}

/// Mean clocks of these chips, all of one stage.
std::vector<double> clocks_Hz(const fleet::FleetTask& task, const fleet::NodeType& type, std::size_t stage,
                              std::span<const power::Chip> chip) {
  const std::vector<double> die_K(chip.size(), loaded_die_K),
      limit_W(chip.size(), dvfs::limit_W(type.usual.cap_W, type.governor));
  std::vector<double> clock_Hz(chip.size(), 0.0);
  std::vector<dvfs::Limiter> limiter(chip.size());
  dvfs::OperatingPointBatch batch{chip, die_K, limit_W, clock_Hz, limiter};
  fleet::set_falling(task, stage, limit_W[0], batch);
  dvfs::operating_points(type.gpu, task.class_window[stage], task.reference_Hz, 0.0, type.gpu.clock_max_Hz(), batch);
  return clock_Hz;
}

}  // namespace

LimitedPlan limited_plan(const std::string& gpu_entry, double limit_W, const workload::IterationModel& model) {
  GpuCase gpu = gpu_case(gpu_entry);
  if (limit_W > 0.0) gpu.power.tdp_W = limit_W;
  LimitedPlan out{node_type(gpu), fleet::StageCourses(), {}};
  const auto& type = out.type;
  auto& courses = out.courses;
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
  out.pace.assign(static_cast<std::size_t>(model.dp()), type.gpu.clock_max_Hz() / task.reference_Hz);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto clock_Hz = clocks_Hz(task, type, s, stages[s].chip);
    for (std::size_t i = 0; i < clock_Hz.size(); ++i) {
      double& slowest = out.pace[stages[s].replica[i]];
      slowest = std::min(slowest, clock_Hz[i] / task.reference_Hz);
    }
  }
  return out;
}

fleet::ClassPower gpu_powers(LimitedPlan& plan, const workload::IterationModel& model,
                             const workload::Timeline& timeline, std::span<const double> pace, double die_K) {
  const double reference_Hz = model.reference_clock_Hz();
  const double slowest_Hz = *std::min_element(pace.begin(), pace.end()) * reference_Hz;
  fleet::FleetTask task;
  fleet::set_kinds(task, timeline, plan.type, reference_Hz);
  for (const double ratio : pace) {
    plan.courses.add(model, plan.type, ratio * reference_Hz, slowest_Hz, task.class_course, task.class_lead);
    task.class_gate_Hz.resize(task.class_course.size(), ratio * reference_Hz);
  }
  for (const auto& course : task.class_course) task.class_window.push_back(course.all());
  fleet::ClassPower out;
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const auto powers = fleet::nominal_powers(task, plan.type, plan.type.usual, c, die_K);
    auto& W = out.emplace_back();
    for (const auto& segment : timeline.classes[c]) W.push_back(powers.kind_W[segment.kind]);
    for (std::size_t i = 0; i < powers.more_W.size(); ++i) W[i] += powers.more_W[i];
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
