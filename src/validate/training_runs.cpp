#include "training_runs.hpp"

#include <fmt/format.h>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using workload::ParallelPlan;

constexpr const char* a100 = "a100_sxm4_80GB";
constexpr const char* h100 = "h100_sxm";

void megatron_table(std::vector<TrainingRun>& runs) {
  struct Line {
    const char* name;
    const char* model;
    std::int64_t n_gpu, tp, pp, batch, micro_batch, chunks;
    double rate_TF;
  };
  // Chunks per stage from the printed layers per virtual stage.
  constexpr Line lines[] = {{"1.7B", "megatron_1p7b", 32, 1, 1, 512, 16, 1, 137},
                            {"3.6B", "megatron_3p6b", 64, 2, 1, 512, 16, 1, 138},
                            {"7.5B", "megatron_7p5b", 128, 4, 1, 512, 16, 1, 142},
                            {"18.4B", "megatron_18p4b", 256, 8, 1, 1024, 8, 1, 135},
                            {"39.1B", "megatron_39p1b", 512, 8, 2, 1536, 4, 1, 138},
                            {"76.1B", "megatron_76p1b", 1024, 8, 4, 1792, 2, 3, 140},
                            {"145.6B", "megatron_145p6b", 1536, 8, 8, 2304, 2, 2, 148},
                            {"310.1B", "megatron_310p1b", 1920, 8, 16, 2160, 1, 2, 155}};
  for (const Line& l : lines) {
    const auto plan = megatron_plan(l.n_gpu, l.tp, l.pp, l.batch, l.micro_batch, l.chunks);
    const double flops = workload::megatron_flops_per_iteration(model_entry(l.model), double(l.batch), 2048);
    runs.push_back({fmt::format("W3/{}", l.name), a100, l.model, "dgx_a100_hdr", plan,
                    flops / (l.rate_TF * 1e12 * double(l.n_gpu)), 0.10,
                    fmt::format("Megatron-LM table 1, {} on {} A100: {} TF/GPU", l.name, l.n_gpu, l.rate_TF),
                    "arXiv 2104.04473"});
  }
}

/// Strong scaling of 175B in 12 stages (table 2); the chunks per stage are not printed and change 1 % here.
void megatron_scaling(std::vector<TrainingRun>& runs) {
  const double flops = workload::megatron_flops_per_iteration(model_entry("gpt3_175b"), 1536, 2048);
  for (const auto& [n_gpu, rate_TF] : {std::pair{384, 153.0}, {768, 149.0}, {1536, 141.0}})
    runs.push_back({fmt::format("W3/175B-{}", n_gpu), a100, "gpt3_175b", "dgx_a100_hdr",
                    megatron_plan(n_gpu, 8, 12, 1536, 1, 1), flops / (rate_TF * 1e12 * n_gpu), 0.10,
                    fmt::format("Megatron-LM table 2, 175B on {} A100: {} TF/GPU", n_gpu, rate_TF),
                    "arXiv 2104.04473"});
}

void megascale_runs(std::vector<TrainingRun>& runs) {
  struct Line {
    const char* baseline_row;
    const char* row;
    std::int64_t n_gpu, batch;
    double baseline_s, own_s;
  };
  constexpr Line lines[] = {
      {"W4/256", "W6/256", 256, 768, 40.0, 32.0},       {"W4/512", "W6/512", 512, 768, 21.2, 16.5},
      {"W4/768", "W6/768", 768, 768, 15.2, 11.5},       {"W4/1024", "W6/1024", 1024, 768, 11.9, 8.9},
      {"W4/6144", "W6/6144", 6144, 6144, 14.78, 12.21}, {"W5", "W7", 12288, 6144, 8.57, 6.34}};
  for (const Line& l : lines)
    runs.push_back({l.baseline_row, a100, "megascale_175b", "megascale_clos", megascale_baseline_plan(l.n_gpu, l.batch),
                    l.baseline_s, 0.10, fmt::format("Megatron-LM 175B, batch {}, {} A100", l.batch, l.n_gpu),
                    "arXiv 2402.15627"});
  for (const Line& l : lines)
    runs.push_back({l.row, a100, "megascale_175b_parallel", "megascale_clos", megascale_plan(l.n_gpu, l.batch), l.own_s,
                    0.12, fmt::format("MegaScale 175B, batch {}, {} A100", l.batch, l.n_gpu), "arXiv 2402.15627"});
}

/// 530B in 35 stages of three chunks, as many sequences as GPUs. Published is the utilisation.
void megascale_530b_runs(std::vector<TrainingRun>& runs) {
  const auto add = [&](const char* id, const char* model, ParallelPlan plan, double utilisation_frac,
                       double tolerance) {
    plan.pp = 35, plan.virtual_stages = 3;
    const double flops = plan.tokens_per_iteration() *
                         workload::train_flops_per_token(model_entry(model), 2048, workload::AttentionCount::full);
    runs.push_back({id, a100, model, "megascale_clos", plan, flops / (utilisation_frac * 312e12 * double(plan.n_gpu)),
                    tolerance, fmt::format("{} on {} A100: {:.1f} %", model, plan.n_gpu, 100.0 * utilisation_frac),
                    "arXiv 2402.15627"});
  };
  add("W4/530B-2240", "megascale_530b", megascale_baseline_plan(2240, 2240), 0.492, 0.10);
  add("W4/530B-11200", "megascale_530b", megascale_baseline_plan(11200, 11200), 0.482, 0.10);
  add("W6/530B-2240", "megascale_530b_parallel", megascale_plan(2240, 2240), 0.543, 0.12);
  add("W6/530B-11200", "megascale_530b_parallel", megascale_plan(11200, 11200), 0.543, 0.12);
}

void korthikanti_runs(std::vector<TrainingRun>& runs) {
  const auto add = [&](const char* id, const char* model, ParallelPlan plan, bool selective, double s) {
    if (selective) plan.sequence_parallel = true, plan.recompute = "selective";
    runs.push_back({id, a100, model, "dgx_a100_hdr", plan, s, 0.10,
                    fmt::format("{}, {} recomputation", model, selective ? "selective" : "full"), "arXiv 2205.05198"});
  };
  const ParallelPlan small = megatron_plan(8, 8, 1, 4, 4, 1), large = megatron_plan(64, 8, 8, 64, 1, 3);
  add("W14/22B-full", "gpt_22b", small, false, 1.42);
  add("W14/22B-sel", "gpt_22b", small, true, 1.10);
  add("W14/175B-full", "gpt3_175b", large, false, 18.13);
  add("W14/175B-sel", "gpt3_175b", large, true, 13.75);
}

void llama_runs(std::vector<TrainingRun>& runs) {
  const auto add = [&](const char* id, const ParallelPlan& plan, double rate_TF, double tolerance, const char* what) {
    const double flops = workload::train_flops_per_token(model_entry("llama3_405b"), double(plan.sequence_tokens)) *
                         plan.tokens_per_iteration();
    runs.push_back({id, h100, "llama3_405b", "llama3_roce", plan, flops / (rate_TF * 1e12 * double(plan.n_gpu)),
                    tolerance, what, "arXiv 2407.21783"});
  };
  add("W9", llama3_plan(8192), 430, 0.0, "Llama 3 405B, 8,192 H100, TP8 PP16 DP64, 8,192 tokens: 430 TF/GPU");
  add("W10", llama3_plan(16384), 400, 0.05, "Llama 3 405B, 16,384 H100, DP128: 400 TF/GPU");
  add("W11", llama3_long_context_plan(), 380, 0.10, "Llama 3 405B, 131,072 tokens, CP16 DP8: 380 TF/GPU");
}

}  // namespace

ParallelPlan megatron_plan(std::int64_t n_gpu, std::int64_t tp, std::int64_t pp, std::int64_t batch,
                           std::int64_t micro_batch, std::int64_t chunks) {
  ParallelPlan p;
  p.n_gpu = n_gpu, p.tp = tp, p.pp = pp, p.global_batch_sequences = batch, p.micro_batch_sequences = micro_batch;
  p.virtual_stages = chunks, p.sequence_tokens = 2048, p.gradient_bytes = 2;
  p.recompute = "full", p.rank_order = "tp-cp-dp-pp";
  return p;
}

ParallelPlan megascale_baseline_plan(std::int64_t n_gpu, std::int64_t batch) {
  ParallelPlan p = megatron_plan(n_gpu, 8, 8, batch, 1, 6);
  p.sequence_parallel = true, p.recompute = "selective", p.gradient_bytes = 4, p.sharding = "zero2";
  return p;
}

ParallelPlan megascale_plan(std::int64_t n_gpu, std::int64_t batch) {
  ParallelPlan p = megascale_baseline_plan(n_gpu, batch);
  p.fused_attention = p.pp_overlap = p.dp_overlap = true, p.recompute = "none";
  p.tp_overlap_frac = 0.9;
  return p;
}

ParallelPlan llama3_plan(std::int64_t n_gpu) {
  ParallelPlan p;
  p.n_gpu = n_gpu, p.tp = 8, p.pp = 16, p.virtual_stages = 8;
  p.global_batch_sequences = 2048, p.sequence_tokens = 8192;
  p.layers_removed_first = p.layers_removed_last = 1;
  p.sequence_parallel = p.fused_attention = p.dp_overlap = p.pp_overlap = true;
  p.sharding = "fsdp", p.rank_order = "tp-cp-pp-dp";
  return p;
}

ParallelPlan llama3_long_context_plan() {
  ParallelPlan p = llama3_plan(16384);
  p.cp = 16, p.sequence_tokens = 131072, p.global_batch_sequences = 128;
  return p;
}

ParallelPlan mlperf_gpt3_plan() {
  ParallelPlan p;
  // Configuration of the submission (training_results_v4.0, smc-ac-power, 64x8x128x4x8): twelve chunks, as custom.yaml has where it is silent.
  p.n_gpu = 512, p.tp = 4, p.pp = 8, p.virtual_stages = 12, p.micro_batch_sequences = 2;
  p.global_batch_sequences = 2048, p.sequence_tokens = 2048, p.gradient_bytes = 2;
  p.sequence_parallel = p.fused_attention = p.dp_overlap = p.pp_overlap = true;
  p.tp_overlap_frac = 0.9, p.precision = "fp8";
  p.sharding = "zero1", p.rank_order = "tp-cp-dp-pp";
  return p;
}

TrainingRun host_gap_run() {
  ParallelPlan plan = mlperf_gpt3_plan();
  plan.n_gpu = 11616, plan.pp = 6, plan.virtual_stages = 8, plan.micro_batch_sequences = 1;
  plan.global_batch_sequences = 2904;  // six micro-batches of each of 484 replicas
  return {"W16",      h100, "gpt3_175b", "dgx_h100_ndr",
          plan,       0.92, 0.01,        "GPT-3 175B in fp8, 11,616 H100, TP4 PP6 DP484, batch 2,904",
          "mlperf_v4"};
}

std::vector<TrainingRun> training_runs() {
  std::vector<TrainingRun> runs;
  runs.push_back({"W1", a100, "gpt3_175b", "dgx_a100_hdr", megatron_plan(1024, 8, 16, 1536, 1, 1), 32.0, 0.08,
                  "GPT-3 175B, 1,024 A100, TP8 PP16 DP8, batch 1,536", "arXiv 2104.04473"});
  megatron_table(runs);
  megatron_scaling(runs);
  megascale_runs(runs);
  megascale_530b_runs(runs);
  korthikanti_runs(runs);
  llama_runs(runs);
  runs.push_back({"P6/period", h100, "gpt3_175b", "dgx_h100_ndr", mlperf_gpt3_plan(), 10.775, 0.10,
                  "GPT-3 175B in fp8, 512 H100, TP4 PP8 DP16, batch 2,048", "mlperf_v4"});
  return runs;
}

const TrainingRun& run_named(const std::vector<TrainingRun>& runs, const std::string& id) {
  for (const TrainingRun& r : runs)
    if (r.id == id) return r;
  throw InputError(fmt::format("no published run '{}'", id));
}

}  // namespace TIDEWATT_NAMESPACE::validate
