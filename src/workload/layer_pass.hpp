#pragma once
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

  /// Forward and backward (data and weight gradient) of a linear layer, rows × in → rows × out on this GPU. In fp8 every
  /// input and every gradient is read once in bf16 and written twice in fp8, as it is and transposed.
  /// @param weight_copies  matrices of that size that share the rows (experts)
  void linear(PassCost& cost, double rows, double in, double out, Precision precision,
              double weight_copies = 1.0) const {
    const double element_B = precision == Precision::fp8 ? 1.0 : 2.0, weights = weight_copies * in * out;
    const double read_B = element_B * (rows * in + weights), written_B = 2.0 * rows * out;
    const double accumulate_B = 2.0 * as_double(plan.gradient_bytes) * weights;  // main gradient, read and written
    cost.forward += gemm_work(gpu, rows, out, in, read_B + written_B, precision);
    cost.backward += gemm_work(gpu, rows, in, out, element_B * (rows * out + weights) + 2.0 * rows * in, precision);
    cost.backward += gemm_work(gpu, weight_copies * in, out, rows / weight_copies,
                               element_B * rows * (in + out) + accumulate_B, precision);
    if (precision == Precision::bf16) return;
    cost.forward += memory_work(gpu, 4.0 * rows * in);
    cost.backward += memory_work(gpu, 4.0 * rows * out);
  }
  void linear(PassCost& cost, double in, double out) const { linear(cost, tokens, in, out, plan.linear_precision()); }

  /// Tensor-parallel collectives over T h: `times` pairs of all-gather (fp8 where the linear layers are) and
  /// reduce-scatter (bf16). Without sequence parallelism a pair is one all-reduce in bf16.
  Work tensor_parallel(double gathers, double scatters) const {
    if (plan.tp == 1) return {};
    const Link link = group_link(net, plan.tp_group());
    const bool narrow = plan.sequence_parallel && plan.linear_precision() == Precision::fp8;
    const double gather_s = all_gather_s((narrow ? 1.0 : 2.0) * tokens * h, plan.tp, link);
    const double scatter_s = reduce_scatter_s(2.0 * tokens * h, plan.tp, link);
    return exposed(gathers * gather_s + scatters * scatter_s, plan.tp_overlap_frac);
  }

  /// Communication of which a share hides behind matrix products, that it slows.
  Work exposed(double link_s, double hidden_frac) const {
    Work w;
    w.link_s = link_s * (1.0 - hidden_frac);
    w.gemm_s = link_s * hidden_frac * gpu.overlap_tax_frac;
    return w;
  }
};

/// Feed-forward part of an expert layer: router, dispatch, grouped expert products, combine, shared experts.
PassCost expert_block_cost(const LayerPass& pass);

}  // namespace TIDEWATT_NAMESPACE::workload
