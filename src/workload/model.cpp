#include "tidewatt/workload/model.hpp"

namespace tidewatt::workload {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

double attention_matrix_weights(const ModelShape& m) {
  const double h = as_double(m.width);
  return 2.0 * h * h + 2.0 * h * m.kv_width();
}

double ffn_matrix_weights(const ModelShape& m) {
  return (m.gated_ffn ? 3.0 : 2.0) * as_double(m.width) * as_double(m.ffn_width);
}

double norm_weights(const ModelShape& m) { return (m.biases ? 2.0 : 1.0) * as_double(m.width); }

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
  v.flag("dropout", dropout, "dropout masks are stored and applied");
  v.flag("parallel_block", parallel_block, "attention and feed-forward read the same norm", Need::optional);
}

double layer_parameters(const ModelShape& m) {
  const double norms = (m.parallel_block ? 1.0 : 2.0) * norm_weights(m);
  double bias = 0.0;
  if (m.biases) {
    const double h = as_double(m.width), up = (m.gated_ffn ? 2.0 : 1.0) * as_double(m.ffn_width);
    bias = (h + 2.0 * m.kv_width()) + h + up + h;
  }
  return attention_matrix_weights(m) + ffn_matrix_weights(m) + norms + bias;
}

double embedding_parameters(const ModelShape& m) {
  return as_double(m.width) * (as_double(m.vocabulary) + as_double(m.learned_positions));
}

double head_parameters(const ModelShape& m) {
  return (m.tied_embeddings ? 0.0 : as_double(m.width) * as_double(m.vocabulary)) + norm_weights(m);
}

double parameter_count(const ModelShape& m) {
  return as_double(m.layers) * layer_parameters(m) + embedding_parameters(m) + head_parameters(m);
}

double attended_tokens(const ModelShape& m, double s, AttentionCount count) {
  const double w = m.attention_window > 0 ? as_double(m.attention_window) : s;
  if (w >= s) return count == AttentionCount::causal ? 0.5 * s : s;
  return count == AttentionCount::causal ? w * (1.0 - 0.5 * w / s) : w;
}

double layer_linear_flops(const ModelShape& m) { return 2.0 * (attention_matrix_weights(m) + ffn_matrix_weights(m)); }

double layer_attention_flops(const ModelShape& m, double s, AttentionCount count) {
  return 4.0 * as_double(m.width) * attended_tokens(m, s, count);
}

double head_flops(const ModelShape& m) { return 2.0 * as_double(m.width) * as_double(m.vocabulary); }

double train_flops_per_token(const ModelShape& m, double s, AttentionCount count) {
  const double layer = layer_linear_flops(m) + layer_attention_flops(m, s, count);
  return 3.0 * (as_double(m.layers) * layer + head_flops(m));
}

double megatron_flops_per_iteration(const ModelShape& m, double batch, double s) {
  const double h = as_double(m.width), l = as_double(m.layers), vocabulary = as_double(m.vocabulary);
  return 96.0 * batch * s * l * h * h * (1.0 + s / (6.0 * h) + vocabulary / (16.0 * l * h));
}

}  // namespace tidewatt::workload
