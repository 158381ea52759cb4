#include "tidewatt/workload/model.hpp"

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

TEST_CASE("Llama 3 405B: parameters and FLOPs per token", "[workload][W12]") {
  const ModelShape m = cases::llama3_405b();
  CHECK(parameter_count(m) == Approx(405.8e9).epsilon(0.002));
  CHECK(train_flops_per_token(m, 8192) == Approx(2.524e12).epsilon(0.002));
  CHECK(train_flops_per_token(m, 8192, AttentionCount::full) == Approx(2.625e12).epsilon(0.002));
  CHECK(train_flops_per_token(m, 131072) == Approx(4.046e12).epsilon(0.002));
  CHECK(train_flops_per_token(m, 131072, AttentionCount::full) == Approx(5.669e12).epsilon(0.002));
}

TEST_CASE("Megatron formula: GPT-3 175B needs 4,511 PF per iteration", "[workload][W2]") {
  const ModelShape m = cases::gpt(96, 12288, 96);
  CHECK(megatron_flops_per_iteration(m, 1536, 2048) == Approx(4511e15).epsilon(0.001));
  // The closed formula is our own count with the forward pass done twice and the head once.
  const double s = 2048, tokens = 1536 * s;
  const double layer = layer_linear_flops(m) + layer_attention_flops(m, s, AttentionCount::full);
  CHECK(tokens * (4.0 * 96 * layer + 3.0 * head_flops(m)) ==
        Approx(megatron_flops_per_iteration(m, 1536, s)).epsilon(1e-12));
}

TEST_CASE("GPT parameters follow 12 l h² (1 + 13/12h + (V+s)/12lh)", "[workload]") {
  const ModelShape m = cases::gpt(80, 12288, 96);
  const double l = 80, h = 12288, closed = 12 * l * h * h * (1 + 13 / (12 * h) + (51200.0 + 2048.0) / (12 * l * h));
  CHECK(parameter_count(m) == Approx(closed).epsilon(1e-6));  // the formula leaves out the last norm
  CHECK(closed == Approx(145.6e9).epsilon(0.001));
}

TEST_CASE("a window as wide as the sequence changes nothing, a narrow one saves attention", "[workload]") {
  ModelShape m = cases::gpt(96, 12288, 96);
  const double whole = attended_tokens(m, 2048, AttentionCount::causal);
  m.attention_window = 2048;
  CHECK(attended_tokens(m, 2048, AttentionCount::causal) == whole);
  m.attention_window = 512;  // first 512 queries see half a window on average, the rest a whole one
  CHECK(attended_tokens(m, 2048, AttentionCount::causal) == Approx((512 * 256.0 + 1536 * 512.0) / 2048));
}

namespace {

/// Weights that one token passes through, embedding table included.
double active_parameter_count(const ModelShape& m) {
  if (m.experts == 0) return parameter_count(m);
  const double idle_frac = 1.0 - static_cast<double>(m.experts_per_token) / static_cast<double>(m.experts);
  return parameter_count(m) -
         static_cast<double>(m.layers - dense_layer_count(m)) * idle_frac * routed_expert_parameters(m);
}

}  // namespace

TEST_CASE("mixtures of experts: published parameter counts, whole and active", "[workload][model]") {
  // arXiv 2412.19437: 671 B, 37 B active; arXiv 2401.04088: 46.7 B, 12.9 B active.
  CHECK(parameter_count(cases::deepseek_v3()) == Approx(671e9).epsilon(0.001));
  CHECK(active_parameter_count(cases::deepseek_v3()) == Approx(37e9).epsilon(0.02));
  CHECK(active_parameter_count(cases::deepseek_v3()) - embedding_parameters(cases::deepseek_v3()) ==
        Approx(36.6e9).epsilon(0.001));
  CHECK(parameter_count(cases::mixtral()) == Approx(46.7e9).epsilon(0.001));
  CHECK(active_parameter_count(cases::mixtral()) == Approx(12.9e9).epsilon(0.003));
}

TEST_CASE("FLOPs per token follow the active weights", "[workload][model]") {
  for (const ModelShape& m : {cases::mixtral(), cases::deepseek_v3(), cases::llama3_405b()}) {
    const double linear = train_flops_per_token(m, 1.0) -
                          3.0 * static_cast<double>(m.layers) * layer_attention_flops(m, 1.0, AttentionCount::causal);
    // Norms and the input table multiply nothing.
    CHECK(linear == Approx(6.0 * (active_parameter_count(m) - embedding_parameters(m))).epsilon(1e-3));
  }
}

TEST_CASE("one expert that everyone uses is a dense block", "[workload][model]") {
  ModelShape dense = cases::mixtral(), one = cases::mixtral();
  dense.experts = dense.experts_per_token = dense.expert_width = 0;
  one.experts = one.experts_per_token = 1;
  const double router = 32.0 * 4096.0;
  CHECK(parameter_count(one) == Approx(parameter_count(dense) + router).epsilon(1e-12));
  CHECK(active_parameter_count(one) == parameter_count(one));
  CHECK(train_flops_per_token(one, 4096) == Approx(train_flops_per_token(dense, 4096) + 6.0 * router).epsilon(1e-12));
}

TEST_CASE("latent attention scores over the rotary width too", "[workload][model]") {
  const ModelShape m = cases::deepseek_v3();
  CHECK(layer_attention_flops(m, 4096, AttentionCount::full) == Approx(2.0 * 128 * (192 + 128) * 4096.0));
  CHECK(m.kv_travel_width() == 576.0);
  const ModelShape plain = cases::llama3_405b();
  CHECK(layer_attention_flops(plain, 8192, AttentionCount::full) == Approx(4.0 * 16384 * 8192));
}

TEST_CASE("half-given shapes are refused", "[workload][model]") {
  CHECK(check_shape(cases::deepseek_v3()).empty());
  CHECK(check_shape(cases::gpt(96, 12288, 96)).empty());
  ModelShape m = cases::llama3_405b();
  m.shared_experts = 1;
  CHECK(check_shape(m).size() == 1);
  m = cases::mixtral(), m.experts_per_token = 9, m.expert_width = 0;
  CHECK(check_shape(m).size() == 2);
  m = cases::llama3_405b(), m.heads = 127;
  CHECK(check_shape(m).size() == 2);  // neither the width nor the key/value heads split
  m = cases::llama3_405b(), m.rope_width = 64;
  CHECK(check_shape(m).size() == 1);
}
