#pragma once
#include <cstdint>

#include "tidewatt/base/fields.hpp"

namespace tidewatt::workload {

/// Shape of a dense decoder-only transformer. Counts only; every size that costs time or memory follows from it.
struct ModelShape {
  std::int64_t layers = 0;
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

  void fields(FieldVisitor& v);
  double kv_width() const { return static_cast<double>(width * kv_heads) / static_cast<double>(heads); }
};

/// How attention FLOPs are counted: `causal` counts the lower triangle that a fused kernel computes and model-FLOP
/// utilisation should use; `full` counts the square, as Megatron-LM's formula does.
enum class AttentionCount { causal, full };

/// Weights of one layer: (2 + 2 kv/h) h² attention + (2 or 3) h·ffn + norms (+ biases).
double layer_parameters(const ModelShape& shape);
/// Weights of the input table (and learned positions).
double embedding_parameters(const ModelShape& shape);
/// Weights of an untied output head and the last norm.
double head_parameters(const ModelShape& shape);
/// All weights. Llama 3 405B: 405.8e9 (arXiv 2407.21783).
double parameter_count(const ModelShape& shape);

/// Mean number of keys a query meets: s/2 causal, s full; a window w caps it at w(1 - w/2s) causal, w full.
double attended_tokens(const ModelShape& shape, double sequence_tokens, AttentionCount count);
/// Forward FLOPs per token in the linear layers of one layer: 2 × matrix weights.
double layer_linear_flops(const ModelShape& shape);
/// Forward FLOPs per token of scores and values in one layer: 4 h × attended tokens.
double layer_attention_flops(const ModelShape& shape, double sequence_tokens, AttentionCount count);
/// Forward FLOPs per token of the output head: 2 h V.
double head_flops(const ModelShape& shape);

/// FLOPs per trained token without recomputation: 3 × forward (backward = 2 forward). Basis of model-FLOP utilisation.
/// Llama 3 405B at 8,192 tokens, causal: 2.524e12.
double train_flops_per_token(const ModelShape& shape, double sequence_tokens,
                             AttentionCount count = AttentionCount::causal);

/// FLOPs per iteration with full recomputation as Megatron-LM counts them (arXiv 2104.04473 eq. 3):
/// F = 96 B s l h² (1 + s/6h + V/16lh); valid for ffn = 4h, kv_heads = heads, no gate.
/// @param batch_sequences  sequences per iteration  @param sequence_tokens  tokens per sequence
double megatron_flops_per_iteration(const ModelShape& shape, double batch_sequences, double sequence_tokens);

}  // namespace tidewatt::workload
