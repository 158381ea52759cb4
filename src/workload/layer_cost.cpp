#include "layer_cost.hpp"

#include <algorithm>

#include "elementwise.hpp"
#include "layer_pass.hpp"
#include "memory.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// Scores, softmax, values. Unfused kernels compute the whole square (or the band of a window) and stream it through
/// memory.
PassCost attention_core(const LayerPass& p) {
  PassCost cost;
  if (p.plan.fused_attention) {
    const double flops =
        p.tokens / p.t * layer_attention_flops(p.m, as_double(p.plan.sequence_tokens), AttentionCount::causal);
    const double keys = 2.0 * attended_tokens(p.m, as_double(p.plan.sequence_tokens), AttentionCount::causal);
    cost.forward += attention_work(p.gpu, flops, keys);
    cost.backward += attention_work(p.gpu, 2.5 * flops, keys);  // five products against two: scores are computed again
    return cost;
  }
  // Batched products, the heads' rows one below the other: scores (rows × keys) and sums over keys (rows × head width).
  const double rows = p.tokens * as_double(p.m.heads) / p.t;
  const double keys = attended_tokens(p.m, as_double(p.plan.sequence_tokens), AttentionCount::full);
  const double scores = rows * keys;
  const Work to_scores = gemm_work(p.gpu, rows, keys, p.m.score_width() / as_double(p.m.heads), 2.0 * scores);
  const Work from_scores = gemm_work(p.gpu, rows, p.m.head(), keys, 2.0 * scores);
  cost.forward += to_scores;
  cost.forward += from_scores;
  cost.forward += memory_work(p.gpu, (4.0 + (p.m.dropout ? 5.0 : 0.0)) * scores);  // softmax; dropout and mask
  cost.backward += to_scores;
  cost.backward.add(from_scores, 3.0);
  cost.backward += memory_work(p.gpu, (6.0 + (p.m.dropout ? 5.0 : 0.0)) * scores);
  return cost;
}

/// Keys and values of the whole sequence: gathered in both passes, their gradients reduce-scattered.
PassCost context_parallel(const LayerPass& p) {
  if (p.plan.cp == 1) return {};
  // Heads are cut over tp; the latent vector is not.
  const double bytes = 2.0 * p.tokens * as_double(p.plan.cp) * p.m.kv_travel_width() / (p.m.kv_rank > 0 ? 1.0 : p.t);
  PassCost cost;
  cost.forward.link_s = group_all_gather_s(p.net, p.plan.cp_group(), bytes);
  cost.backward.link_s = 2.0 * cost.forward.link_s;
  return cost;
}

/// Products from the norm to queries, keys and values.
void projections(const LayerPass& p, PassCost& cost) {
  if (p.m.kv_rank == 0) return p.adapted(cost, p.h, (p.m.score_width() + 2.0 * p.m.kv_width()) / p.t, true);
  const double kv_rank = as_double(p.m.kv_rank), query_rank = as_double(p.m.query_rank);
  p.adapted(cost, p.h, kv_rank + as_double(p.m.rope_width) + query_rank, true);  // down, whole on every rank
  p.adapted(cost, query_rank > 0.0 ? query_rank : p.h, p.m.score_width() / p.t, true);
  p.adapted(cost, kv_rank, 2.0 * p.m.value_width() / p.t, true);
}

/// All matrix products of a dense layer.
void dense_products(const LayerPass& p, PassCost& cost) {
  const double f = as_double(p.m.ffn_width), into_ffn = (p.m.gated_ffn ? 2.0 : 1.0) * f;
  if (p.m.parallel_block && p.m.kv_rank == 0) {
    p.adapted(cost, p.h, (p.m.score_width() + 2.0 * p.m.kv_width() + into_ffn) / p.t, true);
    p.adapted(cost, (p.m.value_width() + f) / p.t, p.h, true);
    return;
  }
  projections(p, cost);
  p.adapted(cost, p.m.value_width() / p.t, p.h, true);
  p.adapted(cost, p.h, into_ffn / p.t, false);
  p.adapted(cost, f / p.t, p.h, false);
}

/// zero3: weights gathered before each pass, gradients scattered after the backward pass; with overlap only what the
/// layer's own work cannot hide.
void sharded_weights(const LayerPass& p, LayerKind kind, PassCost& cost) {
  const double weights = layer_parameters(p.m, kind) / p.t;
  double gather_s = group_all_gather_s(p.net, p.plan.gradient_group(), 2.0 * weights);
  const double trained = p.plan.adapter_rank > 0 ? adapter_parameters(p.m, p.plan, kind) : weights;
  double scatter_s = group_all_gather_s(p.net, p.plan.gradient_group(), as_double(p.plan.gradient_bytes) * trained);
  if (kind == LayerKind::expert) {
    const double routed = routed_expert_parameters(p.m) / as_double(p.plan.ep);
    gather_s += group_all_gather_s(p.net, p.plan.expert_gradient_group(), 2.0 * routed);
    if (p.plan.adapter_rank == 0)
      scatter_s += group_all_gather_s(p.net, p.plan.expert_gradient_group(), as_double(p.plan.gradient_bytes) * routed);
  }
  const auto behind = [&](Work& work, double link_s) {
    const double hidden_s = p.plan.dp_overlap ? std::min(link_s, work.total_s()) : 0.0;
    work.link_s += link_s - hidden_s;
    work.gemm_s += hidden_s * p.gpu.overlap_tax_frac;
  };
  behind(cost.forward, gather_s);
  behind(cost.backward, gather_s + scatter_s);
}

}  // namespace

PassCost& PassCost::add(const PassCost& o, double times) {
  forward.add(o.forward, times);
  backward.add(o.backward, times);
  return *this;
}

PassCost layer_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                    const NetworkParams& network, LayerKind kind) {
  const LayerPass p{shape, plan, gpu, network};
  PassCost cost;
  double pairs = shape.parallel_block ? 1.0 : 2.0;
  if (kind == LayerKind::dense) {
    dense_products(p, cost);
  } else {
    projections(p, cost);
    p.adapted(cost, shape.value_width() / p.t, p.h, true);
    cost.add(expert_block_cost(p));
    pairs = 1.0;  // of the attention; the shared experts count their own
  }
  const Work products = cost.forward;
  const PassCost core = attention_core(p);
  cost.add(core);
  const PassCost between = elementwise(p, kind);
  cost.add(between);
  cost.add(context_parallel(p));
  cost.forward += p.tensor_parallel(pairs, pairs);
  cost.backward += p.tensor_parallel(pairs, pairs);
  if (plan.recompute == "full") cost.backward += cost.forward;
  if (plan.recompute == "selective" && !plan.fused_attention) cost.backward += core.forward;
  if (plan.recompute == "operators") {
    cost.backward.add(products, products_again_frac(shape, plan));
    cost.backward += between.forward;
    cost.backward += p.tensor_parallel(pairs, 0.0);  // what is reduced and scattered is kept, what is gathered is not
  }
  if (plan.sharding == "zero3") sharded_weights(p, kind, cost);
  return cost;
}

double products_again_frac(const ModelShape& m, const ParallelPlan& plan) {
  if (plan.linear_precision() != Precision::bf16) return 1.0;
  if (!m.gated_ffn || m.kv_rank > 0) return 0.5;
  // Of queries, keys, values, output, gate, up and down: the second, fourth and sixth.
  const double f = as_double(m.ffn_width), kv = m.kv_width();
  return (kv + m.value_width() + f) / (m.score_width() + 2.0 * kv + m.value_width() + 3.0 * f);
}

PassCost embedding_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                        const NetworkParams& network) {
  const LayerPass p{shape, plan, gpu, network};
  PassCost cost;
  cost.forward = memory_work(gpu, 4.0 * p.tokens * p.h);                 // read a row, write it
  cost.backward = memory_work(gpu, (2.0 + 8.0) * p.tokens * p.h / p.t);  // read, add into the fp32 table
  cost.forward += p.tensor_parallel(plan.sequence_parallel ? 0.0 : 1.0, 1.0);
  if (plan.sequence_parallel) cost.backward += p.tensor_parallel(1.0, 0.0);
  return cost;
}

PassCost head_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                   const NetworkParams& network) {
  const LayerPass p{shape, plan, gpu, network};
  const double columns = as_double(shape.vocabulary) / p.t;
  PassCost cost;
  p.linear(cost, p.tokens, p.h, columns, Precision::bf16);
  // Cross-entropy in fp32: cast, maximum, exponential, sum; then the gradient and its cast.
  cost.forward += memory_work(gpu, p.tokens * (14.0 * columns + 4.0 * p.h * p.cut));
  cost.backward += memory_work(gpu, p.tokens * (10.0 * columns + 6.0 * p.h * p.cut));
  if (plan.sequence_parallel) cost.forward += p.tensor_parallel(1.0, 0.0);
  cost.backward += p.tensor_parallel(plan.sequence_parallel ? 0.0 : 1.0, 1.0);
  return cost;
}

double stage_transfer_s(const ModelShape& shape, const ParallelPlan& plan, const NetworkParams& network) {
  if (plan.pp == 1) return 0.0;
  const double bytes = 2.0 * plan.micro_batch_tokens_per_gpu() * as_double(shape.width);
  double time_s = send_s(bytes / as_double(plan.tp), neighbour_link(network, plan.pp_group()));
  if (!plan.sequence_parallel) time_s += all_gather_s(bytes, plan.tp, group_link(network, plan.tp_group()));
  return time_s;
}

}  // namespace TIDEWATT_NAMESPACE::workload
