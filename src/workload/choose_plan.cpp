#include "choose_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "iteration.hpp"
#include "memory.hpp"
#include "straddling.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::int64_t most_stages = 64, most_chunks = 8, most_removed_layers = 3;
constexpr std::int64_t widest_ratio = 8;  ///< groups up to so many times the smallest that fits are compared
constexpr double batch_tokens = 16.8e6, most_tokens = 4.0 * batch_tokens;

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

/// Sizes of the groups of a plan.
struct Groups {
  std::int64_t tp, pp, ep, chunks;
  const char* rank_order;
};

/// A plan with these group sizes; nothing if the GPUs or the layers do not divide.
std::optional<ParallelPlan> plan_of(const ModelShape& shape, const PlanRequest& request, const Groups& groups) {
  ParallelPlan p;
  p.n_gpu = request.n_gpu;
  p.tp = groups.tp;
  p.pp = groups.pp;
  p.ep = groups.ep;
  if (p.n_gpu % (p.tp * p.pp) != 0) return std::nullopt;
  const auto removed = removed_layers(shape.layers, p.pp * groups.chunks);
  if (!removed) return std::nullopt;
  p.virtual_stages = groups.chunks;
  p.layers_removed_first = *removed / 2;
  p.layers_removed_last = *removed - *removed / 2;
  if (p.pp > 1) p.rank_order = groups.rank_order;
  p.sequence_tokens = request.sequence_tokens;
  p.micro_batch_sequences = 1;
  p.global_batch_sequences = p.dp() * p.pp * micro_batches_per_stage(p);
  p.sequence_parallel = p.fused_attention = p.dp_overlap = p.pp_overlap = true;
  p.sharding = "fsdp";
  p.precision = request.precision;
  return p;
}

std::vector<Groups> all_groups(const ModelShape& shape, const NetworkParams& network) {
  std::vector<Groups> out;
  for (std::int64_t tp = 1; tp <= network.domain_gpus(); tp *= 2)
    for (std::int64_t pp = 1; pp <= std::min(most_stages, shape.layers); ++pp)
      for (std::int64_t ep = 1; ep <= std::max<std::int64_t>(1, shape.experts); ep *= 2)
        for (std::int64_t chunks = 1; chunks <= (pp > 1 ? most_chunks : 1); ++chunks)
          for (const char* order : {"tp-cp-pp-dp", "tp-cp-dp-pp"})
            if (pp > 1 || order[6] == 'p') out.push_back({tp, pp, ep, chunks, order});
  std::sort(out.begin(), out.end(), [](const Groups& a, const Groups& b) {
    return std::array{a.tp * a.pp, a.pp, a.ep, a.chunks} < std::array{b.tp * b.pp, b.pp, b.ep, b.chunks};
  });
  return out;
}

double tokens_per_s(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                    const NetworkParams& network) {
  const double pace = 1.0;
  const auto timeline = IterationModel(shape, plan, gpu, network).iteration({&pace, 1});
  return plan.tokens_per_iteration() / seconds(timeline.period);
}

}  // namespace

std::optional<ParallelPlan> choose_plan(const ModelShape& shape, const ComputeParams& gpu, const NetworkParams& network,
                                        const PlanRequest& request) {
  const auto all = all_groups(shape, network);
  for (const char* recompute : {"none", "full"}) {
    // Plans that fit, the smallest groups first.
    std::optional<ParallelPlan> best;
    double best_rate = 0.0;
    bool best_batch = false;
    std::int64_t least = 0;
    for (const auto& groups : all) {
      if (least > 0 && groups.tp * groups.pp > widest_ratio * least) break;
      auto p = plan_of(shape, request, groups);
      if (!p || straddling_group(*p, network, network.domain_gpus())) continue;
      p->recompute = recompute;
      if (!check_plan_on_servers(shape, *p, gpu, network, request.gpus_per_server, "").empty() ||
          memory_doubt(shape, *p, gpu))
        continue;
      if (least == 0) least = groups.tp * groups.pp;
      // The fastest of them; a batch far above the usual is taken only where no other plan fits.
      const bool usual_batch = p->tokens_per_iteration() <= most_tokens;
      if (best_batch && !usual_batch) continue;
      const double rate = tokens_per_s(shape, *p, gpu, network);
      if (rate <= best_rate && usual_batch == best_batch) continue;
      best = p;
      best_rate = rate;
      best_batch = usual_batch;
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace TIDEWATT_NAMESPACE::workload
