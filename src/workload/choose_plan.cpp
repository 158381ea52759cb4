#include "choose_plan.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "memory.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::int64_t most_stages = 64, most_removed_layers = 3;
constexpr double batch_tokens = 16.8e6;

/// The smallest number of layers to leave out so that the rest of the slots split evenly; nothing if 3 do not suffice.
std::optional<std::int64_t> removed_layers(std::int64_t layers, std::int64_t chunks) {
  for (std::int64_t n = 0; n <= most_removed_layers; ++n)
    if ((layers + n) % chunks == 0) return n;
  return std::nullopt;
}

std::int64_t micro_batches_per_stage(const ParallelPlan& p) {
  const double stage_tokens = static_cast<double>(p.dp() * p.pp * p.sequence_tokens);
  return std::clamp<std::int64_t>(std::llround(batch_tokens / stage_tokens), 1, 4);
}

/// A plan with these group sizes; nothing if the GPUs do not divide.
std::optional<ParallelPlan> plan_of(const ModelShape& shape, const PlanRequest& request, std::int64_t tp,
                                    std::int64_t pp, std::int64_t ep) {
  ParallelPlan p;
  p.n_gpu = request.n_gpu;
  p.tp = tp;
  p.pp = pp;
  p.ep = ep;
  if (p.n_gpu % (tp * pp) != 0) return std::nullopt;
  std::optional<std::int64_t> removed;
  for (p.virtual_stages = pp > 1 ? 2 : 1; p.virtual_stages >= 1 && !removed; --p.virtual_stages)
    removed = removed_layers(shape.layers, pp * p.virtual_stages);
  if (!removed) return std::nullopt;
  ++p.virtual_stages;
  p.layers_removed_first = *removed / 2;
  p.layers_removed_last = *removed - *removed / 2;
  p.sequence_tokens = request.sequence_tokens;
  p.micro_batch_sequences = 1;
  p.global_batch_sequences = p.dp() * pp * micro_batches_per_stage(p);
  p.sequence_parallel = p.fused_attention = p.dp_overlap = p.pp_overlap = true;
  p.sharding = "fsdp";
  return p;
}

}  // namespace

std::optional<ParallelPlan> choose_plan(const ModelShape& shape, const ComputeParams& gpu, const NetworkParams& network,
                                        const PlanRequest& request) {
  using Groups = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // tp × pp, pp, ep: in order of preference
  std::vector<Groups> all;
  for (std::int64_t tp = 1; tp <= network.domain_gpus(); tp *= 2)
    for (std::int64_t pp = 1; pp <= std::min(most_stages, shape.layers); ++pp)
      for (std::int64_t ep = 1; ep <= std::max<std::int64_t>(1, shape.experts); ep *= 2)
        all.emplace_back(tp * pp, pp, ep);
  std::sort(all.begin(), all.end());
  for (const char* recompute : {"none", "full"})
    for (const auto& [group, pp, ep] : all) {
      auto p = plan_of(shape, request, group / pp, pp, ep);
      if (!p) continue;
      p->recompute = recompute;
      if (check_plan_on_servers(shape, *p, gpu, network, request.gpus_per_server, "").empty() &&
          !memory_doubt(shape, *p, gpu))
        return p;
    }
  return std::nullopt;
}

}  // namespace TIDEWATT_NAMESPACE::workload
