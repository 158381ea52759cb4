#include "tidewatt/workload/layer_cost.hpp"

namespace tidewatt::workload {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// What every cost of one micro-batch needs.
struct Pass {
  const ModelShape& m;
  const ParallelPlan& plan;
  const ComputeParams& gpu;
  const NetworkParams& net;
  double h = as_double(m.width);
  double t = as_double(plan.tp);
  double tokens = plan.micro_batch_tokens_per_gpu();
  double cut = plan.sequence_parallel ? 1.0 / t : 1.0;

  /// Forward and backward (data and weight gradient) of a linear layer, rows × in → rows × out on this GPU.
  void linear(PassCost& cost, double in, double out) const {
    const double moved_B = 2.0 * (tokens * in + in * out + tokens * out);
    const double accumulate_B = 2.0 * as_double(plan.gradient_bytes) * in * out;  // main gradient, read and written
    cost.forward += gemm_work(gpu, tokens, out, in, moved_B);
    cost.backward += gemm_work(gpu, tokens, in, out, moved_B);
    cost.backward += gemm_work(gpu, in, out, tokens, moved_B - 2.0 * in * out + accumulate_B);
  }

  /// Tensor-parallel collective over T h bf16: `times` all-gathers or reduce-scatters (an all-reduce is two).
  Work tensor_parallel(double times) const {
    if (plan.tp == 1) return {};
    const double once_s = all_gather_s(2.0 * tokens * h, plan.tp, group_link(net, plan.tp_group()));
    const double hidden = plan.tp_overlap_frac;
    Work w;
    w.link_s = times * once_s * (1.0 - hidden);
    w.gemm_s = times * once_s * hidden * gpu.overlap_tax_frac;
    return w;
  }
};

/// Scores, softmax, values. Unfused kernels compute the whole square and stream it through memory.
PassCost attention_core(const Pass& p) {
  PassCost cost;
  if (p.plan.fused_attention) {
    const double flops =
        p.tokens / p.t * layer_attention_flops(p.m, as_double(p.plan.sequence_tokens), AttentionCount::causal);
    cost.forward += attention_work(p.gpu, flops);
    cost.backward += attention_work(p.gpu, 2.5 * flops);  // five products against two: scores are computed again
    return cost;
  }
  // Batched products, the heads' rows one below the other: scores (rows × keys) and sums over keys (rows × head width).
  const double rows = p.tokens * as_double(p.m.heads) / p.t, keys = as_double(p.plan.sequence_tokens);
  const double head_width = p.h / as_double(p.m.heads), scores = rows * keys;
  const Work to_scores = gemm_work(p.gpu, rows, keys, head_width, 2.0 * scores);
  const Work from_scores = gemm_work(p.gpu, rows, head_width, keys, 2.0 * scores);
  cost.forward += to_scores;
  cost.forward += from_scores;
  cost.forward += memory_work(p.gpu, (4.0 + (p.m.dropout ? 5.0 : 0.0)) * scores);  // softmax; dropout and mask
  cost.backward += to_scores;
  cost.backward.add(from_scores, 3.0);
  cost.backward += memory_work(p.gpu, (6.0 + (p.m.dropout ? 5.0 : 0.0)) * scores);
  return cost;
}

/// Norms, residual additions, dropout, activation function, rotary: bytes read and written in bf16 (masks 1 B).
PassCost elementwise(const Pass& p) {
  const double norms = p.m.parallel_block ? 1.0 : 2.0, f = as_double(p.m.ffn_width);
  const double mask_B = p.m.dropout ? 1.0 : 0.0;
  const double rotary_B = p.m.learned_positions == 0 ? 4.0 * (p.h + p.m.kv_width()) : 0.0;
  const double forward_B =
      norms * (4.0 + 6.0 + mask_B) * p.h * p.cut + ((p.m.gated_ffn ? 6.0 : 4.0) * f + rotary_B) / p.t;
  const double backward_B =
      norms * (6.0 + 6.0 + 5.0 * mask_B) * p.h * p.cut + ((p.m.gated_ffn ? 10.0 : 6.0) * f + rotary_B) / p.t;
  return {memory_work(p.gpu, p.tokens * forward_B), memory_work(p.gpu, p.tokens * backward_B)};
}

/// Keys and values of the whole sequence: gathered in both passes, their gradients reduce-scattered.
PassCost context_parallel(const Pass& p) {
  if (p.plan.cp == 1) return {};
  const double bytes = 2.0 * p.tokens * as_double(p.plan.cp) * 2.0 * p.m.kv_width() / p.t;
  PassCost cost;
  cost.forward.link_s = all_gather_s(bytes, p.plan.cp, group_link(p.net, p.plan.cp_group()));
  cost.backward.link_s = 2.0 * cost.forward.link_s;
  return cost;
}

}  // namespace

PassCost& PassCost::add(const PassCost& o, double times) {
  forward.add(o.forward, times);
  backward.add(o.backward, times);
  return *this;
}

PassCost layer_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                    const NetworkParams& network) {
  const Pass p{shape, plan, gpu, network};
  const double f = as_double(shape.ffn_width), kv = shape.kv_width();
  PassCost cost;
  p.linear(cost, p.h, (p.h + 2.0 * kv) / p.t);
  p.linear(cost, p.h / p.t, p.h);
  p.linear(cost, p.h, (shape.gated_ffn ? 2.0 : 1.0) * f / p.t);
  p.linear(cost, f / p.t, p.h);
  const PassCost core = attention_core(p);
  cost.add(core);
  cost.add(elementwise(p));
  cost.add(context_parallel(p));
  const double collectives = shape.parallel_block ? 2.0 : 4.0;
  cost.forward += p.tensor_parallel(collectives);
  cost.backward += p.tensor_parallel(collectives);
  if (plan.recompute == "full") cost.backward += cost.forward;
  if (plan.recompute == "selective" && !plan.fused_attention) cost.backward += core.forward;
  return cost;
}

PassCost embedding_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                        const NetworkParams& network) {
  const Pass p{shape, plan, gpu, network};
  PassCost cost;
  cost.forward = memory_work(gpu, 4.0 * p.tokens * p.h);                 // read a row, write it
  cost.backward = memory_work(gpu, (2.0 + 8.0) * p.tokens * p.h / p.t);  // read, add into the fp32 table
  cost.forward += p.tensor_parallel(plan.sequence_parallel ? 1.0 : 2.0);
  if (plan.sequence_parallel) cost.backward += p.tensor_parallel(1.0);
  return cost;
}

PassCost head_cost(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                   const NetworkParams& network) {
  const Pass p{shape, plan, gpu, network};
  const double columns = as_double(shape.vocabulary) / p.t;
  PassCost cost;
  p.linear(cost, p.h, columns);
  // Cross-entropy in fp32: cast, maximum, exponential, sum; then the gradient and its cast.
  cost.forward += memory_work(gpu, p.tokens * (14.0 * columns + 4.0 * p.h * p.cut));
  cost.backward += memory_work(gpu, p.tokens * (10.0 * columns + 6.0 * p.h * p.cut));
  if (plan.sequence_parallel) cost.forward += p.tensor_parallel(1.0);
  cost.backward += p.tensor_parallel(plan.sequence_parallel ? 1.0 : 2.0);
  return cost;
}

double stage_transfer_s(const ModelShape& shape, const ParallelPlan& plan, const NetworkParams& network) {
  if (plan.pp == 1) return 0.0;
  const double bytes = 2.0 * plan.micro_batch_tokens_per_gpu() * as_double(shape.width);
  // A pair of neighbours inside a node talks over NVLink.
  const Link link = group_link(network, {2, plan.pp_group().stride});
  double time_s = send_s(bytes / as_double(plan.tp), link);
  if (!plan.sequence_parallel) time_s += all_gather_s(bytes, plan.tp, group_link(network, plan.tp_group()));
  return time_s;
}

}  // namespace tidewatt::workload
