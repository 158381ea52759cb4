#include "run_refusal.hpp"

#include <fmt/format.h>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

std::string refusal(const workload::ModelShape& shape, const workload::ParallelPlan& plan,
                    const workload::ComputeParams& gpu, const workload::NetworkParams& network) {
  std::string out;
  for (const auto& f : workload::check_plan_on_servers(shape, plan, gpu, network, network.gpus_per_node))
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", f.key, f.message);
  return out;
}

}  // namespace

std::string run_refusal(const TrainingRun& run) {
  return refusal(model_entry(run.model), run.plan, compute_entry(run.device), network_entry(run.network));
}

std::string run_refusal(const RackRun& run) {
  return refusal(model_entry(run.model), run.plan, compute_entry(run.device), network_entry(run.network));
}

std::string run_refusal(const EvidenceRun& run) {
  return refusal(run.shape, run.plan, compute_entry(run.device), run.network);
}

Row held_to_run(Row row, const std::string& refusal) {
  if (refusal.empty()) return row;
  row.note = fmt::format("run refuses this plan: {}{}{}", refusal, row.note.empty() ? "" : "; ", row.note);
  if (row.verdict == Verdict::pass) row.verdict = Verdict::fail;
  return row;
}

}  // namespace TIDEWATT_NAMESPACE::validate
