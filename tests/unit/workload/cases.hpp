#pragma once
#include "tidewatt/workload/plan.hpp"

/// Published configurations used by several tests. Sources: arXiv 2407.21783 (Llama 3), 2104.04473 (Megatron-LM).
namespace cases {

inline tidewatt::workload::ModelShape llama3_405b() {
  tidewatt::workload::ModelShape m;
  m.layers = 126, m.width = 16384, m.heads = 128, m.kv_heads = 8, m.ffn_width = 53248, m.vocabulary = 128256;
  m.gated_ffn = true;
  return m;
}

/// GPT-3 style: ffn = 4h, biases, dropout, tied table, learned positions.
inline tidewatt::workload::ModelShape gpt(std::int64_t layers, std::int64_t width, std::int64_t heads,
                                          std::int64_t vocabulary = 51200) {
  tidewatt::workload::ModelShape m;
  m.layers = layers, m.width = width, m.heads = heads, m.kv_heads = heads, m.ffn_width = 4 * width;
  m.vocabulary = vocabulary, m.learned_positions = 2048;
  m.tied_embeddings = m.biases = m.dropout = true;
  return m;
}

/// arXiv 2412.19437: 256 experts of width 2,048, 8 per token, one shared, three dense layers, latent attention.
inline tidewatt::workload::ModelShape deepseek_v3() {
  tidewatt::workload::ModelShape m;
  m.layers = 61, m.width = 7168, m.heads = 128, m.kv_heads = 128, m.head_width = 128, m.ffn_width = 18432;
  m.vocabulary = 129280, m.gated_ffn = true;
  m.experts = 256, m.experts_per_token = 8, m.shared_experts = 1, m.expert_width = 2048, m.dense_layers = 3;
  m.expert_groups_per_token = 4, m.kv_rank = 512, m.query_rank = 1536, m.rope_width = 64;
  return m;
}

/// arXiv 2401.04088: 8 experts of width 14,336, 2 per token.
inline tidewatt::workload::ModelShape mixtral() {
  tidewatt::workload::ModelShape m;
  m.layers = 32, m.width = 4096, m.heads = 32, m.kv_heads = 8, m.ffn_width = 14336, m.vocabulary = 32000;
  m.gated_ffn = true, m.experts = 8, m.experts_per_token = 2, m.expert_width = 14336;
  return m;
}

/// arXiv 2412.19437: pipeline of 16, experts over 64, no tensor parallelism, ZeRO-1, fp8.
inline tidewatt::workload::ParallelPlan deepseek_plan() {
  tidewatt::workload::ParallelPlan p;
  p.n_gpu = 2048, p.pp = 16, p.ep = 64, p.virtual_stages = 2, p.layers_removed_first = 1, p.layers_removed_last = 2;
  p.global_batch_sequences = 14336, p.sequence_tokens = 4096, p.gradient_bytes = 4;
  p.fused_attention = p.dp_overlap = p.pp_overlap = true, p.precision = "fp8", p.recompute = "full";
  p.sharding = "zero1", p.rank_order = "tp-cp-dp-pp", p.ep_overlap_frac = 0.8, p.expert_imbalance_ratio = 1.1;
  return p;
}

inline tidewatt::workload::ParallelPlan llama3_plan(std::int64_t n_gpu) {
  tidewatt::workload::ParallelPlan p;
  p.n_gpu = n_gpu, p.tp = 8, p.pp = 16, p.virtual_stages = 8;
  p.global_batch_sequences = 2048, p.sequence_tokens = 8192;
  p.layers_removed_first = p.layers_removed_last = 1;
  p.sequence_parallel = p.fused_attention = p.dp_overlap = p.pp_overlap = true;
  p.sharding = "fsdp", p.rank_order = "tp-cp-pp-dp";
  return p;
}

/// Test values, near an H100: physical catalog values live in catalog/.
inline tidewatt::workload::ComputeParams h100() {
  tidewatt::workload::ComputeParams g;
  g.reference_clock_Hz = 1.83e9, g.matrix_FLOP_per_s = 989.4e12, g.matrix_efficiency_frac = 0.726;
  g.multiprocessors = 132, g.small_tile_ratio = 0.93, g.gemm_overhead_s = 4e-6, g.attention_efficiency_frac = 0.54;
  g.attention_half_tokens = 300, g.fp8_FLOP_per_s = 1978.9e12;
  g.hbm_B_per_s = 3.35e12, g.hbm_efficiency_frac = 0.8, g.hbm_capacity_B = 79.65 * 1073741824.0;
  g.hbm_reserved_B = 3.0 * 1073741824.0, g.overlap_tax_frac = 0.15;
  g.gemm_activity = 1.0, g.attention_activity = 0.7, g.gemm_hbm_frac = 0.3, g.attention_hbm_frac = 0.1;
  return g;
}

inline tidewatt::workload::ComputeParams a100() {
  tidewatt::workload::ComputeParams g = h100();
  g.reference_clock_Hz = 1.41e9, g.matrix_FLOP_per_s = 312e12;
  g.multiprocessors = 108, g.hbm_B_per_s = 2.039e12, g.fp8_FLOP_per_s = 0.0;
  return g;
}

inline tidewatt::workload::NetworkParams roce() {
  tidewatt::workload::NetworkParams n;
  n.gpus_per_node = 8, n.nvlink_B_per_s = 450e9, n.nvlink_efficiency_frac = 0.8, n.nvlink_latency_s = 4e-6;
  n.nics_per_node = 8, n.nic_B_per_s = 50e9, n.nic_efficiency_frac = 0.8, n.nic_latency_s = 20e-6,
  n.p2p_efficiency_frac = 0.5;
  n.pod_gpus = 3072, n.pod_oversubscription_ratio = 7;
  return n;
}

inline tidewatt::workload::NetworkParams selene() {
  tidewatt::workload::NetworkParams n;
  n.gpus_per_node = 8, n.nvlink_B_per_s = 300e9, n.nvlink_efficiency_frac = 0.75, n.nvlink_latency_s = 4e-6;
  n.nics_per_node = 8, n.nic_B_per_s = 25e9, n.nic_efficiency_frac = 0.8, n.nic_latency_s = 14e-6,
  n.p2p_efficiency_frac = 0.5;
  n.pod_gpus = 100000, n.pod_oversubscription_ratio = 1;
  return n;
}

}  // namespace cases
