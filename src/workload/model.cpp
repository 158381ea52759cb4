#include "tidewatt/workload/model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

double attention_matrix_weights(const ModelShape& m) {
  const double h = as_double(m.width);
  if (m.kv_rank == 0) return h * m.score_width() + 2.0 * h * m.kv_width() + m.value_width() * h;
  const double query_rank = as_double(m.query_rank), kv_rank = as_double(m.kv_rank);
  const double queries = m.query_rank > 0 ? query_rank * (h + m.score_width()) : h * m.score_width();
  const double keys_values = h * (kv_rank + as_double(m.rope_width)) + kv_rank * 2.0 * m.value_width();
  return queries + keys_values + m.value_width() * h;
}

double one_expert_weights(const ModelShape& m) {
  return (m.gated_ffn ? 3.0 : 2.0) * as_double(m.width) * as_double(m.expert_width);
}

/// Matrix weights of the feed-forward block outside the routed experts.
double ffn_matrix_weights(const ModelShape& m, LayerKind kind) {
  const double h = as_double(m.width);
  if (kind == LayerKind::dense) return (m.gated_ffn ? 3.0 : 2.0) * h * as_double(m.ffn_width);
  return h * as_double(m.experts) + as_double(m.shared_experts) * one_expert_weights(m);  // router, shared experts
}

double norm_weights(const ModelShape& m) { return (m.biases ? 2.0 : 1.0) * as_double(m.width); }

double bias_weights(const ModelShape& m, LayerKind kind) {
  if (!m.biases) return 0.0;
  const double h = as_double(m.width);
  const double up = kind == LayerKind::dense ? (m.gated_ffn ? 2.0 : 1.0) * as_double(m.ffn_width) : 0.0;
  return (m.score_width() + 2.0 * m.kv_width()) + h + up + (kind == LayerKind::dense ? h : 0.0);
}

}  // namespace

void ModelShape::fields(FieldVisitor& v) {
  v.integer("layers", layers, {1, 10000}, "transformer layers");
  v.integer("width", width, {64, 1e6}, "model dimension");
  v.integer("heads", heads, {1, 10000}, "query heads");
  v.integer("kv_heads", kv_heads, {1, 10000}, "key/value heads");
  v.integer("ffn_width", ffn_width, {64, 1e7}, "inner width of the feed-forward block");
  v.integer("vocabulary", vocabulary, {16, 1e8}, "rows of the embedding table, padding included");
  v.integer("learned_positions", learned_positions, {0, 1e8}, "rows of a learned position table, 0 = rotary");
  v.integer("attention_window", attention_window, {0, 1e8}, "tokens a query may look back, 0 = all", Need::optional);
  v.flag("gated_ffn", gated_ffn, "three feed-forward matrices (SwiGLU) instead of two");
  v.flag("tied_embeddings", tied_embeddings, "output head shares the input table");
  v.flag("biases", biases, "linear layers and norms carry biases");
  v.flag("dropout", dropout, "true: dropout masks are stored and applied");
  v.flag("parallel_block", parallel_block, "attention and feed-forward read the same norm", Need::optional);
  v.integer("head_width", head_width, {0, 1e5}, "width of a query head, 0 = width / heads", Need::optional);
  v.integer("experts", experts, {0, 1e5}, "routed experts of an expert layer, 0 = dense model", Need::optional);
  v.integer("experts_per_token", experts_per_token, {0, 1e4}, "routed experts a token passes through", Need::optional);
  v.integer("shared_experts", shared_experts, {0, 1e4}, "experts that every token passes through", Need::optional);
  v.integer("expert_width", expert_width, {0, 1e7}, "inner width of one expert", Need::optional);
  v.integer("dense_layers", dense_layers, {0, 1e4}, "first layers with a dense feed-forward block", Need::optional);
  v.integer("expert_groups_per_token", expert_groups_per_token, {0, 1e4},
            "a token's experts lie on at most so many nodes, 0 = no limit", Need::optional);
  v.integer("kv_rank", kv_rank, {0, 1e6}, "rank of compressed keys and values, 0 = plain attention", Need::optional);
  v.integer("query_rank", query_rank, {0, 1e6}, "rank of compressed queries, 0 = not compressed", Need::optional);
  v.integer("rope_width", rope_width, {0, 1e4}, "rotary part of a head beside its plain part", Need::optional);
}

std::int64_t dense_layer_count(const ModelShape& m) {
  return m.experts == 0 ? m.layers : std::min(m.dense_layers, m.layers);
}

double layer_parameters(const ModelShape& m, LayerKind kind) {
  const double norms = (m.parallel_block ? 1.0 : 2.0) * norm_weights(m) + as_double(m.kv_rank + m.query_rank);
  return attention_matrix_weights(m) + ffn_matrix_weights(m, kind) + norms + bias_weights(m, kind);
}

double routed_expert_parameters(const ModelShape& m) { return as_double(m.experts) * one_expert_weights(m); }

double embedding_parameters(const ModelShape& m) {
  return as_double(m.width) * (as_double(m.vocabulary) + as_double(m.learned_positions));
}

double head_parameters(const ModelShape& m) {
  return (m.tied_embeddings ? 0.0 : as_double(m.width) * as_double(m.vocabulary)) + norm_weights(m);
}

double parameter_count(const ModelShape& m) {
  const double dense = as_double(dense_layer_count(m)), expert = as_double(m.layers) - dense;
  return dense * layer_parameters(m) + expert * (layer_parameters(m, LayerKind::expert) + routed_expert_parameters(m)) +
         embedding_parameters(m) + head_parameters(m);
}

double attended_tokens(const ModelShape& m, double s, AttentionCount count) {
  const double w = m.attention_window > 0 ? as_double(m.attention_window) : s;
  if (w >= s) return count == AttentionCount::causal ? 0.5 * s : s;
  return count == AttentionCount::causal ? w * (1.0 - 0.5 * w / s) : w;
}

double layer_linear_flops(const ModelShape& m, LayerKind kind) {
  const double routed = kind == LayerKind::expert ? as_double(m.experts_per_token) * one_expert_weights(m) : 0.0;
  return 2.0 * (attention_matrix_weights(m) + ffn_matrix_weights(m, kind) + routed);
}

double layer_attention_flops(const ModelShape& m, double s, AttentionCount count) {
  return 2.0 * (m.score_width() + m.value_width()) * attended_tokens(m, s, count);
}

double head_flops(const ModelShape& m) { return 2.0 * as_double(m.width) * as_double(m.vocabulary); }

double train_flops_per_token(const ModelShape& m, double s, AttentionCount count) {
  const double dense = as_double(dense_layer_count(m)), expert = as_double(m.layers) - dense;
  const double linear = dense * layer_linear_flops(m) + expert * layer_linear_flops(m, LayerKind::expert);
  return 3.0 * (linear + as_double(m.layers) * layer_attention_flops(m, s, count) + head_flops(m));
}

double megatron_flops_per_iteration(const ModelShape& m, double batch, double s) {
  const double h = as_double(m.width), l = as_double(m.layers), vocabulary = as_double(m.vocabulary);
  return 96.0 * batch * s * l * h * h * (1.0 + s / (6.0 * h) + vocabulary / (16.0 * l * h));
}

std::vector<std::string> check_shape(const ModelShape& m) {
  std::vector<std::string> wrong;
  const auto require = [&](bool ok, std::string text) {
    if (!ok) wrong.push_back(std::move(text));
  };
  require(m.layers >= 1 && m.width >= 1 && m.heads >= 1 && m.kv_heads >= 1 && m.ffn_width >= 1 && m.vocabulary >= 1,
          "layers, width, heads, kv_heads, ffn_width and vocabulary must be at least 1");
  if (!wrong.empty()) return wrong;
  require(m.head_width > 0 || m.width % m.heads == 0,
          fmt::format("width must split over the heads ({} is not a multiple of {})", m.width, m.heads));
  require(m.heads % m.kv_heads == 0, fmt::format("query heads must split over the key/value heads ({} is not a "
                                                 "multiple of {})",
                                                 m.heads, m.kv_heads));
  const bool experts = m.experts > 0;
  require(!experts || (m.experts_per_token >= 1 && m.experts_per_token <= m.experts),
          fmt::format("{} experts per token of {} experts", m.experts_per_token, m.experts));
  require(!experts || m.expert_width >= 1, "experts need an expert_width");
  require(experts || m.experts_per_token + m.shared_experts + m.expert_width + m.dense_layers == 0,
          "expert sizes are given but experts = 0");
  require(m.dense_layers <= m.layers, fmt::format("{} dense layers of {}", m.dense_layers, m.layers));
  require(m.kv_rank > 0 || (m.query_rank == 0 && m.rope_width == 0), "query_rank and rope_width need a kv_rank");
  return wrong;
}

}  // namespace TIDEWATT_NAMESPACE::workload
