#include "racks_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/embedded.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "training_runs.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double no_memory_limit_B = 1e18;
constexpr double least_inverse = 0.2;  // of an efficiency: five times the peak explains nothing

const Node& at(const Node& node, const std::string& key) {
  const Node* found = node.find(key);
  if (found == nullptr) throw InputError(fmt::format("racks_rows.toml: no '{}'", key));
  return *found;
}

void read_hardware(const Node& node, RackRun& run, std::vector<Finding>& findings) {
  TableReader reader(node, "hardware", findings);
  reader.text("compute", run.device, "entry of kind compute");
  reader.text("gpu", run.gpu, "entry of kind gpu");
  reader.text("network", run.network, "entry of kind network");
  reader.number("tdp_W", run.tdp_W, {0, 5000}, "limit in that run", Need::optional);
  reader.number("hbm_TB_per_s", run.hbm_B_per_s, {0, 100}, "memory of that run's boards", Need::optional);
  reader.finish();
}

RackRun run_of(const Node& root, const Node& row, std::vector<Finding>& findings) {
  RackRun run;
  std::string role, hardware, base;
  double tokens_per_s = 0.0;
  TableReader reader(row, "row", findings);
  reader.text("id", run.id, "row");
  reader.text("role", role, "fit | blind");
  reader.text("what", run.what, "what was run");
  reader.text("source", run.source, "publication");
  reader.text("hardware", hardware, "table of hardware");
  reader.text("model", run.model, "entry of kind model");
  reader.text("base", base, "table of plan");
  reader.number("step_s", run.expected_s, {0, 1000}, "published step", Need::optional);
  reader.number("tokens_per_s", tokens_per_s, {0, 1e6}, "published tokens per second and GPU", Need::optional);
  reader.number("tolerance_frac", run.tolerance_frac, {0, 1}, "tolerance");
  const Node* own = reader.child("plan", Need::required);
  reader.finish();
  run.fitted = role == "fit";
  read_hardware(at(at(root, "hardware"), hardware), run, findings);
  const Node& plans = at(root, "plan");
  const Node plan = merge(merge(at(plans, "common"), at(plans, base)), own != nullptr ? *own : Node());
  TableReader plan_reader(plan, run.id + ".plan", findings);
  run.plan.fields(plan_reader);
  plan_reader.finish();
  if (tokens_per_s > 0.0)
    run.expected_s = run.plan.tokens_per_iteration() / (tokens_per_s * static_cast<double>(run.plan.n_gpu));
  return run;
}

}  // namespace

std::vector<RackRun> rack_runs() {
  const Node root = parse_toml(embedded::validation_files().front().text, "racks_rows.toml");
  std::vector<RackRun> runs;
  std::vector<Finding> findings;
  for (const Node& row : std::get<Node::Array>(at(root, "row").value)) runs.push_back(run_of(root, row, findings));
  if (!findings.empty()) throw InputError(std::move(findings));
  return runs;
}

workload::ComputeParams device_of(const RackRun& run) { return compute_entry(run.device); }

double& fitted_parameter(workload::ComputeParams& gpu, const RackRun& run) {
  if (model_entry(run.model).experts > 0) return gpu.grouped_efficiency_ratio;
  switch (run.plan.linear_precision()) {
    case workload::Precision::bf16:
      return gpu.matrix_efficiency_frac;
    case workload::Precision::fp8:
      return gpu.fp8_efficiency_frac;
    case workload::Precision::mxfp8:
      return gpu.mxfp8_efficiency_frac;
    case workload::Precision::nvfp4:
      return gpu.nvfp4_efficiency_frac;
  }
  return gpu.matrix_efficiency_frac;
}

namespace {

workload::IterationModel model_of(const RackRun& run, workload::ComputeParams gpu) {
  gpu.hbm_capacity_B = no_memory_limit_B;
  if (run.hbm_B_per_s > 0.0) gpu.hbm_B_per_s = run.hbm_B_per_s;
  return {model_entry(run.model), run.plan, gpu, network_entry(run.network)};
}

}  // namespace

double pace_of(const RackRun& run) {
  return slowest_pace_at(run.gpu, run.tdp_W, model_of(run, compute_entry(run.device)));
}

double step_s(const RackRun& run, workload::ComputeParams gpu, double pace) {
  return seconds(model_of(run, gpu).iteration({{pace}}).period);
}

double step_s(const RackRun& run) { return step_s(run, compute_entry(run.device), pace_of(run)); }

double exact_parameter(const RackRun& run) {
  workload::ComputeParams gpu = compute_entry(run.device);
  double& value = fitted_parameter(gpu, run);
  if (value <= 0.0) value = gpu.matrix_efficiency_frac;
  // The step is almost linear in 1/value at the entry's clock: secants in it gain digits fast.
  const double pace = pace_of(run);
  const auto excess_s = [&](double inverse) {
    value = 1.0 / inverse;
    return step_s(run, gpu, pace) - run.expected_s;
  };
  double last = 1.0 / value, last_s = excess_s(last), next = 1.02 * last;
  for (int pass = 0; pass < 8; ++pass) {
    const double next_s = excess_s(next), slope = (next_s - last_s) / (next - last);
    if (std::abs(next_s) < 1e-6 * run.expected_s || !(slope > 0.0)) break;
    last = next, last_s = next_s;
    next -= next_s / slope;
    if (!(next > least_inverse)) return 0.0;
  }
  return value;
}

std::string memory_excess(const RackRun& run) {
  const auto shape = model_entry(run.model);
  const auto use = workload::memory_use(shape, run.plan, workload::fullest_stage(shape, run.plan));
  const auto gpu = compute_entry(run.device);
  const double need_B = use.total_B() + gpu.hbm_reserved_B;
  constexpr double GiB = 1073741824.0;
  if (need_B <= gpu.hbm_capacity_B) return "";
  return fmt::format("the memory estimate is {:.0f} GiB, the device has {:.0f}", need_B / GiB,
                     gpu.hbm_capacity_B / GiB);
}

}  // namespace TIDEWATT_NAMESPACE::validate
