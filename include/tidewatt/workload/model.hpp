#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Shape of a decoder-only transformer, dense or with a mixture of experts. Counts only; every size that costs time or
/// memory follows from it.
struct TIDEWATT_API ModelShape {
  std::int64_t layers = 0;             ///< transformer layers
  std::int64_t width = 0;              ///< model dimension h
  std::int64_t heads = 0;              ///< query heads
  std::int64_t kv_heads = 0;           ///< key/value heads; equal to `heads` without grouped queries
  std::int64_t ffn_width = 0;          ///< inner width of the feed-forward block
  std::int64_t vocabulary = 0;         ///< rows of the embedding, padding included
  std::int64_t learned_positions = 0;  ///< rows of a learned position table; 0 = rotary
  std::int64_t attention_window = 0;   ///< tokens a query may look back; 0 = the whole sequence
  bool gated_ffn = false;              ///< three feed-forward matrices (SwiGLU) instead of two
  bool tied_embeddings = false;        ///< output head shares the input table
  bool biases = false;                 ///< linear layers and norms carry biases (GPT-3 style)
  bool dropout = false;                ///< dropout masks are stored and applied
  bool parallel_block = false;         ///< attention and feed-forward read the same norm (one instead of two)

  std::int64_t head_width = 0;  ///< of a query head (without its rotary part); 0 = width / heads

  std::int64_t experts = 0;                  ///< routed experts of an expert layer; 0 = dense model
  std::int64_t experts_per_token = 0;        ///< routed experts that each token passes through
  std::int64_t shared_experts = 0;           ///< experts that every token passes through
  std::int64_t expert_width = 0;             ///< inner width of one expert
  std::int64_t dense_layers = 0;             ///< first layers that keep a dense feed-forward block
  std::int64_t expert_groups_per_token = 0;  ///< largest number of nodes that have a token's experts; 0 = no limit

  std::int64_t kv_rank = 0;     ///< latent attention: rank of the compressed keys and values; 0 = plain attention
  std::int64_t query_rank = 0;  ///< latent attention: rank of the compressed queries; 0 = not compressed
  std::int64_t rope_width = 0;  ///< latent attention: rotary part of a query head and of the one shared key

  void fields(FieldVisitor& v);
  /// Width of a query head without its rotary part, count.
  double head() const {
    return head_width > 0 ? static_cast<double>(head_width) : static_cast<double>(width) / static_cast<double>(heads);
  }
  /// Width of all queries together, rotary parts included, count.
  double score_width() const { return static_cast<double>(heads) * (head() + static_cast<double>(rope_width)); }
  double value_width() const { return static_cast<double>(heads) * head(); }  ///< of the attention's output
  /// Count.
  double kv_width() const { return static_cast<double>(kv_heads) * head(); }  ///< of keys, and of values
  /// Keys and values that context parallelism moves per token: both widths, or the latent vector with its rotary key.
  /// Count.
  double kv_travel_width() const { return kv_rank > 0 ? static_cast<double>(kv_rank + rope_width) : 2.0 * kv_width(); }
};

/// The two kinds of layer that a model may mix: the first `dense_layers` are dense, the rest expert layers.
enum class LayerKind { dense, expert };
/// Layers with a dense feed-forward block: all of a dense model.
TIDEWATT_API std::int64_t dense_layer_count(const ModelShape& shape);

/// How attention FLOPs are counted: `causal` counts the lower triangle that a fused kernel computes and model-FLOP
/// utilisation should use; `full` counts the square, as Megatron-LM's formula does.
enum class AttentionCount { causal, full };

/// Weights of one layer outside its routed experts: attention (2 + 2 kv/h) h² or its low-rank factors, (2 or 3) h·ffn or
/// router and shared experts, norms, biases.
TIDEWATT_API double layer_parameters(const ModelShape& shape, LayerKind kind = LayerKind::dense);
/// Weights of the routed experts of one expert layer.
/// Count.
TIDEWATT_API double routed_expert_parameters(const ModelShape& shape);
/// Weights of the input table (and learned positions).
/// Count.
TIDEWATT_API double embedding_parameters(const ModelShape& shape);
/// Weights of an untied output head and the last norm.
/// Count.
TIDEWATT_API double head_parameters(const ModelShape& shape);
/// All weights. Llama 3 405B: 405.8e9 (arXiv 2407.21783); DeepSeek-V3: 671e9 (arXiv 2412.19437).
/// Count.
TIDEWATT_API double parameter_count(const ModelShape& shape);

/// Mean number of keys a query meets: s/2 causal, s full; a window w caps it at w(1 - w/2s) causal, w full.
TIDEWATT_API double attended_tokens(const ModelShape& shape, double sequence_tokens, AttentionCount count);
/// Forward FLOPs per token in the linear layers of one layer: 2 × matrix weights that the token meets.
/// Count per token.
TIDEWATT_API double layer_linear_flops(const ModelShape& shape, LayerKind kind = LayerKind::dense);
/// Forward FLOPs per token of scores and values in one layer: 2 (score width + value width) × attended tokens; 4 h of
/// them in a plain layer.
TIDEWATT_API double layer_attention_flops(const ModelShape& shape, double sequence_tokens, AttentionCount count);
/// Forward FLOPs per token of the output head: 2 h V.
TIDEWATT_API double head_flops(const ModelShape& shape);

/// FLOPs per trained token without recomputation: 3 × forward (backward = 2 forward). Basis of model-FLOP utilisation.
/// Llama 3 405B at 8,192 tokens, causal: 2.524e12.
/// @param sequence_tokens count
TIDEWATT_API double train_flops_per_token(const ModelShape& shape, double sequence_tokens,
                                          AttentionCount count = AttentionCount::causal);

/// FLOPs per iteration with full recomputation as Megatron-LM counts them (arXiv 2104.04473 eq. 3):
/// F = 96 B s l h² (1 + s/6h + V/16lh); valid for ffn = 4h, kv_heads = heads, no gate.
/// @param batch_sequences  sequences per iteration  @param sequence_tokens  tokens per sequence
TIDEWATT_API double megatron_flops_per_iteration(const ModelShape& shape, double batch_sequences,
                                                 double sequence_tokens);

/// Everything impossible about the shape: head counts, half-given experts or ranks. Messages carry the numbers.
TIDEWATT_API std::vector<std::string> check_shape(const ModelShape& shape);

}  // namespace TIDEWATT_NAMESPACE::workload
