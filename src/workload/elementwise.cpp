#include "elementwise.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// Bytes per value, forward and backward.
struct KernelBytes {
  double forward, backward;
};
struct LayerKernels {
  KernelBytes norm{4.0, 6.0}, activation{4.0, 6.0}, rotary{4.0, 4.0};
};

LayerKernels kernels_of(const LayerPass& p) {
  LayerKernels k;
  const bool eager = p.plan.kernels == "eager";
  if (p.m.gated_ffn) k.activation = eager ? KernelBytes{10.0, 18.0} : KernelBytes{6.0, 10.0};
  if (eager && p.m.gated_ffn) k.norm = {36.0, 68.0};
  if (eager) k.rotary = {20.0, 20.0};
  return k;
}

}  // namespace

PassCost elementwise(const LayerPass& p, LayerKind kind) {
  const LayerKernels k = kernels_of(p);
  constexpr double residual_B = 6.0;
  const double norms = p.m.parallel_block ? 1.0 : 2.0;
  const double f = kind == LayerKind::dense ? as_double(p.m.ffn_width) : 0.0;
  const double mask_B = p.m.dropout ? 1.0 : 0.0;
  const double rotated = p.m.learned_positions == 0 ? p.m.score_width() + p.m.kv_width() : 0.0;
  const auto bytes = [&](double norm_B, double activation_B, double rotary_B) {
    return norms * (norm_B + residual_B) * p.h * p.cut + (activation_B * f + rotary_B * rotated) / p.t;
  };
  return {
      memory_work(p.gpu, p.tokens * bytes(k.norm.forward + mask_B, k.activation.forward, k.rotary.forward)),
      memory_work(p.gpu, p.tokens * bytes(k.norm.backward + 5.0 * mask_B, k.activation.backward, k.rotary.backward))};
}

}  // namespace TIDEWATT_NAMESPACE::workload
