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
