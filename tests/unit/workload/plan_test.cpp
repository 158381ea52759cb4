#include "tidewatt/workload/plan.hpp"

#include <algorithm>

#include "cases.hpp"
#include "catch.hpp"
#include "workload/memory.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

bool complains(const ParallelPlan& p, const std::string& key, const ModelShape& m = cases::llama3_405b()) {
  const auto findings = check_plan(m, p, cases::h100(), cases::roce());
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.key == "plan." + key; });
}

/// Place of a rank in each group, in a rank order.
struct RankPlace {
  std::int64_t tp, cp, pp, dp;
};

RankPlace place_of(const ParallelPlan& p, std::int64_t rank) {
  RankPlace at{rank % p.tp, rank / p.tp % p.cp, 0, 0};
  rank /= p.tp * p.cp;
  if (p.rank_order == "tp-cp-dp-pp")
    at.dp = rank % p.dp(), at.pp = rank / p.dp();
  else
    at.pp = rank % p.pp, at.dp = rank / p.pp;
  return at;
}

/// Ranks of the first domain that share a group with rank 0, counted one by one.
template <class Same>
std::int64_t counted(const ParallelPlan& p, std::int64_t domain, Same&& same) {
  std::int64_t n = 0;
  for (std::int64_t rank = 0; rank < std::min(domain, p.n_gpu); ++rank) n += same(place_of(p, rank)) ? 1 : 0;
  return n;
}

ParallelPlan split(std::int64_t n_gpu, std::int64_t tp, std::int64_t cp, std::int64_t pp, std::int64_t ep) {
  ParallelPlan p;
  p.n_gpu = n_gpu, p.tp = tp, p.cp = cp, p.pp = pp, p.ep = ep;
  return p;
}

bool same(const RankGroup& a, const RankGroup& b) {
  return a.size == b.size && a.stride == b.stride && a.block == b.block && a.block_stride == b.block_stride;
}

}  // namespace

TEST_CASE("members of every group in a domain are those that counting the ranks finds, in both orders",
          "[workload][plan]") {
  NetworkParams net = cases::roce();
  for (const std::int64_t domain : {4, 8, 16, 64})
    for (const char* order : {"tp-cp-dp-pp", "tp-cp-pp-dp"})
      for (const std::int64_t tp : {1, 2, 8})
        for (const std::int64_t cp : {1, 2, 4})
          for (const std::int64_t pp : {1, 2, 4})
            for (const std::int64_t ep : {1, 2, 4, 16, 32}) {
              ParallelPlan p = split(256, tp, cp, pp, ep);
              p.rank_order = order;
              if (p.tp * p.cp * p.dp() % ep != 0) continue;
              net.gpus_per_node = domain;
              INFO(order << ", domain " << domain << ", tp " << tp << ", cp " << cp << ", pp " << pp << ", ep " << ep);
              const auto expert_rank = [&](const RankPlace& at) { return (at.dp * cp + at.cp) * tp + at.tp; };
              CHECK(members_per_node(net, p.gradient_group()) ==
                    counted(p, domain, [](const RankPlace& at) { return at.pp == 0 && at.tp == 0; }));
              CHECK(members_per_node(net, p.ep_group()) ==
                    counted(p, domain, [&](const RankPlace& at) { return at.pp == 0 && expert_rank(at) / ep == 0; }));
              CHECK(members_per_node(net, p.expert_gradient_group()) ==
                    counted(p, domain, [&](const RankPlace& at) { return at.pp == 0 && expert_rank(at) % ep == 0; }));
            }
}

TEST_CASE("with one stage or one replica both rank orders are one placement", "[workload][plan]") {
  CHECK(ParallelPlan{}.rank_order == "tp-cp-dp-pp");
  for (const ParallelPlan& p : {split(16, 1, 1, 1, 16), split(64, 2, 2, 1, 16), split(64, 4, 1, 1, 2),
                                split(64, 2, 4, 8, 4), split(32, 8, 1, 4, 2)}) {
    ParallelPlan other = p;
    other.rank_order = "tp-cp-pp-dp";
    CHECK(same(p.ep_group(), other.ep_group()));
    CHECK(same(p.gradient_group(), other.gradient_group()));
    CHECK(same(p.expert_gradient_group(), other.expert_gradient_group()));
    CHECK(same(p.pp_group(), other.pp_group()));
    CHECK(p.stage_ranks() == other.stage_ranks());
  }
  // With both, they are two.
  ParallelPlan two = split(64, 1, 1, 4, 16), other = two;
  other.rank_order = "tp-cp-pp-dp";
  CHECK_FALSE(same(two.ep_group(), other.ep_group()));
}

TEST_CASE("a plan on servers: whole servers, and one stage in each", "[workload][plan]") {
  const auto keys = [](const ParallelPlan& p, std::int64_t per_server) {
    std::vector<std::string> out;
    for (const auto& f : check_plan_on_servers(cases::llama3_405b(), p, cases::h100(), cases::roce(), per_server))
      out.push_back(f.key);
    return out;
  };
  ParallelPlan p = cases::llama3_plan(16384);
  CHECK(keys(p, 8).empty());
  CHECK(keys(p, 16) == std::vector<std::string>{"plan.pp"});  // a stage has 8 neighbours
  CHECK(keys(p, 12) == std::vector<std::string>{"plan.n_gpu", "plan.pp"});
  p.rank_order = "tp-cp-dp-pp";
  CHECK(keys(p, 16).empty());  // and here 1,024
  p.tp = 7;                    // the plan's own faults are reported as well
  CHECK(keys(p, 8).size() >= 2);
}

TEST_CASE("the published Llama 3 plans are possible", "[workload][plan]") {
  for (const std::int64_t n : {8192, 16384}) {
    const ParallelPlan p = cases::llama3_plan(n);
    const auto findings = check_plan(cases::llama3_405b(), p, cases::h100(), cases::roce());
    for (const auto& f : findings) UNSCOPED_INFO(f.text());
    CHECK(findings.empty());
    CHECK(p.dp() == n / 128);
    CHECK(p.micro_batches() == 2048 / p.dp());
  }
}

TEST_CASE("impossible plans are refused with the numbers", "[workload][plan]") {
  const ParallelPlan good = cases::llama3_plan(16384);
  ParallelPlan p = good;
  p.n_gpu = 16385;
  CHECK(complains(p, "n_gpu"));
  p = good, p.tp = 16;
  CHECK(complains(p, "tp"));
  p = good, p.layers_removed_last = 0;
  CHECK(complains(p, "pp"));
  p = good, p.global_batch_sequences = 2049;
  CHECK(complains(p, "global_batch_sequences"));
  p = good, p.global_batch_sequences = 128 * 17;  // 17 micro-batches cannot be interleaved over 16 stages
  CHECK(complains(p, "global_batch_sequences"));
  p = good, p.layers_removed_first = 17, p.layers_removed_last = 113;
  CHECK(complains(p, "layers_removed_first"));
  p = good, p.tp = 0;
  CHECK(complains(p, "tp"));
  p = good, p.fused_attention = false;  // the scores of 8,192 tokens do not fit
  CHECK(complains(p, "n_gpu"));
}

TEST_CASE("memory is refused beyond what the estimate can be wrong by", "[workload][plan]") {
  constexpr double GiB = 1073741824.0;
  const ModelShape m = cases::llama3_405b();
  const ParallelPlan p = cases::llama3_plan(8192);
  ComputeParams gpu = cases::h100();
  const double need_B = memory_use(m, p, fullest_stage(m, p)).total_B() + gpu.hbm_reserved_B;
  gpu.hbm_capacity_B = need_B / (1.0 + memory_uncertainty_frac) + 0.1 * GiB;
  CHECK(check_plan(m, p, gpu, cases::roce()).empty());
  CHECK(memory_doubt(m, p, gpu));  // admitted, and said
  gpu.hbm_capacity_B = need_B / (1.0 + memory_uncertainty_frac) - 0.1 * GiB;
  CHECK(check_plan(m, p, gpu, cases::roce()).size() == 1);
}

TEST_CASE("all reasons come at once", "[workload][plan]") {
  ParallelPlan p = cases::llama3_plan(16384);
  p.n_gpu = 16385, p.tp = 16, p.layers_removed_last = 0;
  CHECK(check_plan(cases::llama3_405b(), p, cases::h100(), cases::roce()).size() >= 3);
}

TEST_CASE("layers of all virtual stages add up to the model", "[workload][plan]") {
  const ParallelPlan p = cases::llama3_plan(16384);
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < p.virtual_stage_count(); ++k) sum += layers_in_virtual_stage(cases::llama3_405b(), p, k);
  CHECK(sum == 126);
  CHECK(layers_in_virtual_stage(cases::llama3_405b(), p, 0) == 0);
  CHECK(layers_in_virtual_stage(cases::llama3_405b(), p, 127) == 0);
}

TEST_CASE("expert parallelism must fit model, ranks and memory", "[workload][plan]") {
  const ModelShape m = cases::deepseek_v3();
  const ParallelPlan good = cases::deepseek_plan();
  const auto findings = check_plan(m, good, cases::h100(), cases::roce());
  for (const auto& f : findings) UNSCOPED_INFO(f.text());
  CHECK(findings.empty());
  ParallelPlan p = good;
  p.ep = 96;  // 256 experts do not split
  CHECK(complains(p, "ep", m));
  p = good, p.ep = 256;  // only 128 ranks outside the pipeline
  CHECK(complains(p, "ep", m));
  p = good, p.ep = 1;  // all experts on every GPU: memory
  CHECK(complains(p, "n_gpu", m));
  p = good, p.tp = 2, p.n_gpu = 4096;  // ranks of one tensor-parallel group would route the same tokens
  CHECK(complains(p, "sequence_parallel", m));
  p = good, p.expert_imbalance_ratio = 0.9;
  CHECK(complains(p, "expert_imbalance_ratio", m));
  p = cases::llama3_plan(16384), p.ep = 2;
  CHECK(complains(p, "ep"));
  ModelShape half = m;
  half.expert_width = 0;
  CHECK(complains(good, "model", half));
}

TEST_CASE("fp8 needs a device that has it", "[workload][plan]") {
  ParallelPlan p = cases::llama3_plan(16384);
  p.precision = "fp8";
  CHECK_FALSE(complains(p, "precision"));
  const auto findings = check_plan(cases::llama3_405b(), p, cases::a100(), cases::roce());
  CHECK(std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.key == "plan.precision"; }));
}

TEST_CASE("dense layers fill the first virtual stages", "[workload][plan]") {
  const ParallelPlan p = cases::deepseek_plan();
  std::int64_t layers = 0, dense = 0;
  for (std::int64_t k = 0; k < p.virtual_stage_count(); ++k) {
    layers += layers_in_virtual_stage(cases::deepseek_v3(), p, k);
    dense += dense_layers_in_virtual_stage(cases::deepseek_v3(), p, k);
  }
  CHECK(layers == 61);
  CHECK(dense == 3);
  CHECK(dense_layers_in_virtual_stage(cases::deepseek_v3(), p, 0) == 1);  // one slot left free there
  CHECK(dense_layers_in_virtual_stage(cases::deepseek_v3(), p, 1) == 2);
  CHECK(dense_layers_in_virtual_stage(cases::deepseek_v3(), p, 2) == 0);
}

TEST_CASE("each format needs its own peak, and mxfp8 that of fp8", "[workload][plan]") {
  ParallelPlan p = cases::llama3_plan(16384);
  p.precision = "mxfp8";
  CHECK(p.linear_precision() == Precision::mxfp8);
  CHECK_FALSE(complains(p, "precision"));
  p.precision = "nvfp4";
  CHECK(p.linear_precision() == Precision::nvfp4);
  CHECK(complains(p, "precision"));
}

TEST_CASE("blocks of ranks do not straddle scale-up domains: 64 of 72, or all 72", "[workload][plan]") {
  NetworkParams net = cases::roce();
  net.gpus_per_node = 4, net.scale_up_gpus = 72;
  ParallelPlan p = cases::deepseek_plan();
  CHECK(domain_gpus_used(p, net) == 64);  // experts over 64 neighbours leave eight spare
  p.ep = 8;
  CHECK(domain_gpus_used(p, net) == 72);
  p.ep = 1, p.tp = 4, p.cp = 4;
  CHECK(domain_gpus_used(p, net) == 64);
  p.cp = 100;  // wider than the domain: only tp counts
  CHECK(domain_gpus_used(p, net) == 72);
  CHECK(domain_gpus_used(p, cases::roce()) == 8);
}

TEST_CASE("tensor parallelism fits the domain, not the node, and a domain is whole nodes", "[workload][plan]") {
  NetworkParams net = cases::roce();
  net.gpus_per_node = 4, net.nics_per_node = 4, net.scale_up_gpus = 72;
  const ParallelPlan p = cases::llama3_plan(16384);  // tp 8 over two trays
  CHECK(check_plan(cases::llama3_405b(), p, cases::h100(), net).empty());
  net.scale_up_gpus = 0;
  CHECK_FALSE(check_plan(cases::llama3_405b(), p, cases::h100(), net).empty());
  net.scale_up_gpus = 70;
  CHECK_FALSE(check_plan(cases::llama3_405b(), p, cases::h100(), net).empty());
}
