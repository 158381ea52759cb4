#pragma once
#include <utility>

#include "layer_cost.hpp"

namespace TIDEWATT_NAMESPACE::workload {

inline double as_double(std::int64_t n) { return static_cast<double>(n); }

/// What every cost of one micro-batch on one GPU needs.
struct LayerPass {
  const ModelShape& m;
  const ParallelPlan& plan;
  const ComputeParams& gpu;
  const NetworkParams& net;
  double h = as_double(m.width);
  double t = as_double(plan.tp);
  double tokens = plan.micro_batch_tokens_per_gpu();
  double cut = plan.sequence_parallel ? 1.0 / t : 1.0;

  /// Forward and backward (data and weight gradient) of a linear layer, rows × in → rows × out on this GPU. In a narrow
  /// format every input and every gradient is read once in bf16 and written twice, as it is and transposed. Frozen weights
  /// (`adapter_rank` > 0) have no weight gradient.
  /// @param weight_copies  matrices of that size that share the rows (experts)
  void linear(PassCost& cost, double rows, double in, double out, Precision precision, double weight_copies = 1.0,
              KernelClass kernel = KernelClass::dense) const {
    const double value_B = element_B(precision), weights = weight_copies * in * out;
    const double read_B = value_B * (rows * in + weights), written_B = 2.0 * rows * out;
    cost.forward += gemm_work(gpu, rows, out, in, read_B + written_B, precision, kernel);
    cost.backward +=
        gemm_work(gpu, rows, in, out, value_B * (rows * out + weights) + 2.0 * rows * in, precision, kernel);
    if (plan.adapter_rank == 0) weight_gradient(cost, rows, in, out, precision, weight_copies, kernel);
    if (precision == Precision::bf16) return;
    cost.forward += memory_work(gpu, (2.0 + 2.0 * value_B) * rows * in);
    cost.backward += memory_work(gpu, (2.0 + 2.0 * value_B) * rows * out);
  }
  void linear(PassCost& cost, double in, double out) const { linear(cost, tokens, in, out, plan.linear_precision()); }

  /// A linear layer of one GPU with its adapters where the plan has them: down to the rank and up again in bf16, both
  /// trained, and their sum with the frozen layer's output. @param in, out widths on this GPU
  void adapted(PassCost& cost, double in, double out, bool of_attention) const {
    linear(cost, in, out);
    if (plan.adapter_rank == 0 || !(of_attention || plan.adapter_layers == "all")) return;
    const double rank = as_double(plan.adapter_rank);
    for (const auto& [from, to] : {std::pair{in, rank}, std::pair{rank, out}}) {
      linear(cost, tokens, from, to, Precision::bf16);
      weight_gradient(cost, tokens, from, to, Precision::bf16, 1.0, KernelClass::dense);
    }
    cost.forward += memory_work(gpu, 6.0 * tokens * out);  // two read, one written
    cost.backward += memory_work(gpu, 6.0 * tokens * in);
  }

  /// Tensor-parallel collectives over T h: `times` pairs of all-gather (in the linear layers' format) and
  /// reduce-scatter (bf16). Without sequence parallelism a pair is one all-reduce in bf16.
  Work tensor_parallel(double gathers, double scatters) const {
    if (plan.tp == 1) return {};
    const Link link = group_link(net, plan.tp_group());
    const double value_B = plan.sequence_parallel ? element_B(plan.linear_precision()) : 2.0;
    const double gather_s = all_gather_s(value_B * tokens * h, plan.tp, link);
    const double scatter_s = reduce_scatter_s(2.0 * tokens * h, plan.tp, link);
    return exposed(gathers * gather_s + scatters * scatter_s, plan.tp_overlap_frac);
  }

  /// Communication of which a fraction overlaps with matrix products, which it slows.
  Work exposed(double link_s, double hidden_frac) const {
    Work w;
    w.link_s = link_s * (1.0 - hidden_frac);
    w.gemm_s = link_s * hidden_frac * gpu.overlap_tax_frac;
    return w;
  }

 private:
  void weight_gradient(PassCost& cost, double rows, double in, double out, Precision precision, double weight_copies,
                       KernelClass kernel) const {
    const double weights = weight_copies * in * out;
    const double accumulate_B = 2.0 * as_double(plan.gradient_bytes) * weights;  // main gradient, read and written
    cost.backward += gemm_work(gpu, weight_copies * in, out, rows / weight_copies,
                               element_B(precision) * rows * (in + out) + accumulate_B, precision, kernel);
  }
};

/// Feed-forward part of an expert layer: router, dispatch, grouped expert products, combine, shared experts.
PassCost expert_block_cost(const LayerPass& pass);

}  // namespace TIDEWATT_NAMESPACE::workload
