#include "tidewatt/workload/plan.hpp"

#include <algorithm>
#include <array>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::array<std::string_view, 4> recompute_words = {"none", "selective", "operators", "full"};
constexpr std::array<std::string_view, 2> kernel_words = {"fused", "eager"};
constexpr std::array<std::string_view, 5> sharding_words = {"none", "zero1", "zero2", "fsdp", "zero3"};
constexpr std::array<std::string_view, 4> precision_words = {"bf16", "fp8", "mxfp8", "nvfp4"};
constexpr std::array<std::string_view, 2> adapter_words = {"all", "attention"};
constexpr std::array<std::string_view, 2> order_words = {"tp-cp-dp-pp", "tp-cp-pp-dp"};

}  // namespace

void ParallelPlan::fields(FieldVisitor& v) {
  v.integer("n_gpu", n_gpu, {1, 1e8}, "GPUs of the job; \"all\" in a scenario: every GPU of the halls");
  v.integer("tp", tp, {1, 1024}, "tensor parallel ranks");
  v.integer("cp", cp, {1, 4096}, "context parallel ranks", Need::optional);
  v.integer("pp", pp, {1, 1024}, "pipeline stages");
  v.integer("ep", ep, {1, 65536}, "expert parallel ranks, out of tp x cp x dp", Need::optional);
  v.integer("virtual_stages", virtual_stages, {1, 256}, "model chunks per pipeline stage", Need::optional);
  v.integer("micro_batch_sequences", micro_batch_sequences, {1, 65536}, "sequences per micro-batch");
  v.integer("global_batch_sequences", global_batch_sequences, {1, 1e8}, "sequences per iteration");
  v.integer("sequence_tokens", sequence_tokens, {1, 1e8}, "tokens per sequence");
  v.integer("layers_removed_first", layers_removed_first, {0, 1000}, "layers left out of the first chunk",
            Need::optional);
  v.integer("layers_removed_last", layers_removed_last, {0, 1000}, "layers left out of the last chunk", Need::optional);
  v.integer("gradient_bytes", gradient_bytes, {1, 8}, "bytes per weight in the gradient exchange", Need::optional);
  v.flag("sequence_parallel", sequence_parallel, "true: norms and dropout are split over the tensor parallel ranks");
  v.flag("fused_attention", fused_attention, "attention scores stay on chip, masked half skipped");
  v.flag("dp_overlap", dp_overlap, "gradient exchange starts after a chunk's last backward");
  v.flag("pp_overlap", pp_overlap, "stages do not block while they send");
  v.number("tp_overlap_frac", tp_overlap_frac, {0, 1}, "fraction of tensor-parallel communication that is hidden");
  v.number("ep_overlap_frac", ep_overlap_frac, {0, 1}, "fraction of expert dispatch and combine that is hidden",
           Need::optional);
  v.number("expert_imbalance_ratio", expert_imbalance_ratio, {1, 100},
           "tokens of the busiest expert rank over the mean", Need::optional);
  v.choice("precision", precision, precision_words, "number format of the linear layers", Need::optional);
  v.integer("adapter_rank", adapter_rank, {0, 4096},
            "rank of low-rank adapters on frozen weights, 0 = all weights are trained ", Need::optional);
  v.choice("adapter_layers", adapter_layers, adapter_words, "linear layers that have adapters", Need::optional);
  v.choice("recompute", recompute, recompute_words, "activations computed again in the backward pass");
  v.choice("kernels", kernels, kernel_words,
           "norms, activation and rotary positions: one kernel each, or one per operation", Need::optional);
  v.choice("sharding", sharding, sharding_words, "what is sharded over the replicas");
  v.choice("rank_order", rank_order, order_words,
           "nesting of the parallel groups, innermost first: tp-cp-dp-pp as Megatron, NeMo and torchtitan, tp-cp-pp-dp "
           "as Llama 3",
           Need::optional);
}

double ParallelPlan::micro_batch_tokens_per_gpu() const {
  return static_cast<double>(micro_batch_sequences * sequence_tokens) / static_cast<double>(cp);
}

double ParallelPlan::tokens_per_iteration() const {
  return static_cast<double>(global_batch_sequences) * static_cast<double>(sequence_tokens);
}

bool ParallelPlan::replicas_adjacent() const { return rank_order == "tp-cp-dp-pp" || pp == 1 || dp() == 1; }

RankGroup ParallelPlan::pp_group() const { return {pp, replicas_adjacent() ? tp * cp * dp() : tp * cp}; }

RankGroup ParallelPlan::gradient_group() const {
  if (replicas_adjacent()) return {dp() * cp, tp};  // cp and dp are neighbours
  return {dp() * cp, tp * pp, cp, tp};              // blocks of cp neighbours, one per replica
}

RankGroup ParallelPlan::ep_group() const {
  const std::int64_t inner = tp * cp;
  if (ep <= inner || replicas_adjacent()) return {ep, 1};
  return {ep, pp, inner, 1};  // blocks of tp·cp neighbours, one per replica
}

RankGroup ParallelPlan::expert_gradient_group() const {
  const std::int64_t inner = tp * cp, copies = inner * dp() / ep;
  if (copies <= 1) return {1, 1};
  if (replicas_adjacent()) return {copies, ep};
  if (ep >= inner) return {copies, ep * pp};
  return {copies, ep * pp, inner / ep, ep};  // blocks of tp·cp ÷ ep copies, one per replica
}

Precision ParallelPlan::linear_precision() const {
  constexpr std::array formats = {Precision::bf16, Precision::fp8, Precision::mxfp8, Precision::nvfp4};
  const auto* const word = std::find(precision_words.begin(), precision_words.end(), precision);
  return word == precision_words.end() ? Precision::bf16
                                       : formats[static_cast<std::size_t>(word - precision_words.begin())];
}

std::int64_t domain_gpus_used(const ParallelPlan& plan, const NetworkParams& network) {
  const std::int64_t domain = network.domain_gpus();
  if (domain == network.gpus_per_node) return domain;
  std::int64_t block = plan.tp;
  const RankGroup experts = plan.ep_group();
  for (const std::int64_t wider : {plan.tp * plan.cp, experts.stride == 1 ? experts.size : 1})
    if (wider <= domain) block = std::max(block, wider);
  return std::max(block, domain / block * block);
}

std::int64_t layers_in_virtual_stage(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k) {
  const std::int64_t slots = shape.layers + plan.layers_removed_first + plan.layers_removed_last;
  std::int64_t n = slots / plan.virtual_stage_count();
  if (k == 0) n -= plan.layers_removed_first;
  if (k == plan.virtual_stage_count() - 1) n -= plan.layers_removed_last;
  return n;
}

std::int64_t dense_layers_in_virtual_stage(const ModelShape& shape, const ParallelPlan& plan, std::int64_t k) {
  const std::int64_t slots = shape.layers + plan.layers_removed_first + plan.layers_removed_last;
  const std::int64_t before = k == 0 ? 0 : k * (slots / plan.virtual_stage_count()) - plan.layers_removed_first;
  const std::int64_t left = dense_layer_count(shape) - before;
  return std::clamp<std::int64_t>(left, 0, layers_in_virtual_stage(shape, plan, k));
}

}  // namespace TIDEWATT_NAMESPACE::workload
