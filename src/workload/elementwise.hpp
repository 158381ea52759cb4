#pragma once
#include "layer_pass.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Norms, residual additions, dropout, activation function and rotary positions of a layer: bytes read and written, in bf16 unless said
/// otherwise (masks 1 B).
///
/// Fused kernels read their inputs once and write their result once. Eager ones are one kernel per operation, each through memory, as
/// published model code has them (transformers' and Meta's Llama):
///
///     per value                fused        eager
///     RMS norm, forward        4            36: to fp32 6, square 8, mean 4, scale 8, to bf16 6, weight 4
///     RMS norm, backward       6            68: weight 4, its gradient 8, casts 6 + 6, scale 8, projection 16, square 8, two sums 12
///     gated activation         6 and 10     10 and 18: the activation and the product on their own
///     rotary positions         4 and 4      20 and 20: to fp32 6, complex product 8, to bf16 6
///
/// Layer norms and plain activations are one kernel either way; which norm a shape has follows from its gated feed-forward.
PassCost elementwise(const LayerPass& pass, LayerKind kind);

}  // namespace TIDEWATT_NAMESPACE::workload
