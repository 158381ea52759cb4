#include <fmt/format.h>

#include "memory.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// Collects findings under one path.
class Findings {
 public:
  explicit Findings(std::string path) : path_(std::move(path)) {}
  void require(bool ok, const char* key, std::string message) {
    if (!ok) out.push_back({{}, path_ + "." + key, std::move(message)});
  }
  /// `whole` must be a multiple of `part`.
  void divides(std::int64_t whole, std::int64_t part, const char* key, const char* what) {
    require(part > 0 && whole % part == 0, key, fmt::format("{} ({} is not a multiple of {})", what, whole, part));
  }
  std::vector<Finding> out;

 private:
  std::string path_;
};

bool positive(Findings& f, const ModelShape& m, const ParallelPlan& p) {
  const std::pair<const char*, std::int64_t> counts[] = {{"n_gpu", p.n_gpu},
                                                         {"tp", p.tp},
                                                         {"cp", p.cp},
                                                         {"pp", p.pp},
                                                         {"ep", p.ep},
                                                         {"virtual_stages", p.virtual_stages},
                                                         {"micro_batch_sequences", p.micro_batch_sequences},
                                                         {"global_batch_sequences", p.global_batch_sequences},
                                                         {"sequence_tokens", p.sequence_tokens},
                                                         {"gradient_bytes", p.gradient_bytes}};
  for (const auto& [key, n] : counts) f.require(n >= 1, key, fmt::format("{} must be at least 1", n));
  for (auto& wrong : check_shape(m)) f.require(false, "model", std::move(wrong));
  return f.out.empty();
}

/// Tensor parallelism stays inside a scale-up domain. A domain of several nodes may leave GPUs spare, one node not.
void check_domain(Findings& f, const ParallelPlan& p, const NetworkParams& network) {
  const std::int64_t domain = network.domain_gpus();
  const bool one_node = domain == network.gpus_per_node;
  f.require(
      one_node || (network.gpus_per_node > 0 && domain > 0 && domain % network.gpus_per_node == 0), "network",
      fmt::format("a scale-up domain of {} GPUs is not a whole number of nodes of {}", domain, network.gpus_per_node));
  f.require(p.tp <= domain, "tp",
            fmt::format("tp = {} does not fit a {} of {} GPUs", p.tp, one_node ? "node" : "scale-up domain", domain));
  if (one_node) f.divides(domain, p.tp, "tp", "a node must hold whole tensor-parallel groups");
}

void check_split(Findings& f, const ModelShape& m, const ParallelPlan& p) {
  f.divides(m.heads, p.tp, "tp", "query heads must split over tp");
  f.divides(m.ffn_width, p.tp, "tp", "ffn_width must split over tp");
  f.divides(p.sequence_tokens, 2 * p.cp > 2 ? 2 * p.cp : 1, "cp", "the sequence must split into 2·cp pieces");
  const std::int64_t slots = m.layers + p.layers_removed_first + p.layers_removed_last;
  f.divides(slots, p.pp * p.virtual_stages, "pp", "layers plus removed layers must split over pp × virtual_stages");
  const std::int64_t per_chunk = slots / (p.pp * p.virtual_stages);
  const std::int64_t removed = p.pp * p.virtual_stages == 1 ? p.layers_removed_first + p.layers_removed_last
                                                            : std::max(p.layers_removed_first, p.layers_removed_last);
  f.require(removed <= per_chunk, "layers_removed_first",
            fmt::format("{} layers cannot be taken from a chunk of {}", removed, per_chunk));
}

void check_experts(Findings& f, const ModelShape& m, const ParallelPlan& p) {
  f.require(m.experts > 0 || p.ep == 1, "ep", fmt::format("ep = {} but the model has no experts", p.ep));
  if (m.experts == 0) return;
  f.require(p.recompute != "operators", "recompute", "operators is known for dense layers only");
  f.divides(m.experts, p.ep, "ep", "experts must split over ep");
  const std::int64_t block = p.tp * p.cp, ranks = block * p.dp();
  f.divides(ranks, p.ep, "ep", "ep must be taken from tp × cp × dp ranks");
  f.require(p.ep <= block ? block % p.ep == 0 : p.ep % block == 0, "ep",
            fmt::format("ep = {} must divide tp × cp = {} or be a multiple of it", p.ep, block));
  f.require(p.tp == 1 || p.sequence_parallel, "sequence_parallel",
            "experts with tp > 1 need sequence_parallel: each rank routes its own tokens");
  f.require(p.expert_imbalance_ratio >= 1.0, "expert_imbalance_ratio",
            fmt::format("{} is below 1: the busiest rank cannot have less than the mean", p.expert_imbalance_ratio));
}

void check_batch(Findings& f, const ParallelPlan& p) {
  const std::int64_t per_step = p.dp() * p.micro_batch_sequences;
  f.divides(p.global_batch_sequences, per_step, "global_batch_sequences",
            "the batch must split over dp × micro_batch_sequences");
  if (p.virtual_stages > 1 && per_step > 0 && p.global_batch_sequences % per_step == 0) {
    f.divides(p.micro_batches(), p.pp, "global_batch_sequences",
              "interleaving needs micro-batches per replica in multiples of pp");
    f.require(p.pp > 1, "virtual_stages", "interleaving needs at least two pipeline stages");
  }
}

/// What the fullest GPU needs, in words.
struct MemoryNeed {
  double need_B;
  std::string text;
};

MemoryNeed memory_need(const ModelShape& m, const ParallelPlan& p, const ComputeParams& gpu) {
  const std::int64_t stage = fullest_stage(m, p);
  const MemoryUse use = memory_use(m, p, stage);
  constexpr double GiB = 1073741824.0;
  const double need_B = use.total_B() + gpu.hbm_reserved_B;
  return {need_B, fmt::format("one GPU of stage {} needs {:.1f} GiB of {:.1f} GiB: weights {:.1f}, gradients {:.1f}, "
                              "optimizer {:.1f}, activations {:.1f}, reserved {:.1f}",
                              stage, need_B / GiB, gpu.hbm_capacity_B / GiB, use.weights_B / GiB, use.gradients_B / GiB,
                              use.optimizer_B / GiB, use.activations_B / GiB, gpu.hbm_reserved_B / GiB)};
}

void check_memory(Findings& f, const ModelShape& m, const ParallelPlan& p, const ComputeParams& gpu) {
  const auto need = memory_need(m, p, gpu);
  f.require(need.need_B <= gpu.hbm_capacity_B * (1.0 + memory_uncertainty_frac), "n_gpu", need.text);
}

}  // namespace

std::vector<Finding> check_plan(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                                const NetworkParams& network, const std::string& path) {
  Findings f(path);
  if (!positive(f, shape, plan)) return std::move(f.out);
  const std::int64_t model_gpus = plan.tp * plan.cp * plan.pp;
  f.divides(plan.n_gpu, model_gpus, "n_gpu", "GPUs must be a multiple of tp × cp × pp");
  check_domain(f, plan, network);
  check_split(f, shape, plan);
  const Precision format = plan.linear_precision();
  f.require(format == Precision::bf16 || peak_FLOP_per_s(gpu, format) > 0.0, "precision",
            fmt::format("the GPU has no {} matrix rate", plan.precision));
  const bool counted = plan.n_gpu % model_gpus == 0;
  if (counted) check_batch(f, plan);
  if (counted) check_experts(f, shape, plan);
  if (counted && f.out.empty()) check_memory(f, shape, plan, gpu);
  return std::move(f.out);
}

std::vector<Finding> check_plan_on_servers(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                                           const NetworkParams& network, std::int64_t gpus_per_server,
                                           const std::string& path) {
  auto out = check_plan(shape, plan, gpu, network, path);
  if (plan.tp < 1 || plan.cp < 1 || plan.pp < 1 || plan.n_gpu < 1) return out;
  Findings f(path);
  f.require(plan.n_gpu % gpus_per_server == 0, "n_gpu", fmt::format("{} is not a whole number of servers", plan.n_gpu));
  f.require(plan.pp == 1 || plan.stage_ranks() % gpus_per_server == 0, "pp",
            fmt::format("a server of {} GPUs would hold several pipeline stages: each takes {} neighbouring GPUs; "
                        "choose tp × cp as a multiple of {}{}",
                        gpus_per_server, plan.stage_ranks(), gpus_per_server,
                        plan.replicas_adjacent() ? ", or more replicas"
                                                 : ", or rank_order = \"tp-cp-dp-pp\" with tp × cp × dp as one"));
  out.insert(out.end(), f.out.begin(), f.out.end());
  return out;
}

std::optional<std::string> memory_doubt(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu) {
  const auto need = memory_need(shape, plan, gpu);
  if (need.need_B <= gpu.hbm_capacity_B) return std::nullopt;
  return need.text + "; above the device's memory, but within the estimate's uncertainty";
}

}  // namespace TIDEWATT_NAMESPACE::workload
