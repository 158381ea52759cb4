#include "tidewatt/workload/plan.hpp"

#include <algorithm>

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

bool complains(const ParallelPlan& p, const std::string& key, const ModelShape& m = cases::llama3_405b()) {
  const auto findings = check_plan(m, p, cases::h100(), cases::roce());
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.key == "plan." + key; });
}

}  // namespace

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

TEST_CASE("collectives: closed forms and limits", "[workload][network]") {
  const NetworkParams net = cases::roce();
  const Link nvlink = group_link(net, {8, 1}), rail = group_link(net, {128, 128});
  CHECK(nvlink.inside_node);
  CHECK_FALSE(rail.inside_node);
  CHECK(rail.B_per_s == Approx(40e9));                          // one card per member
  CHECK(group_link(net, {32, 1}).B_per_s == Approx(8 * 40e9));  // eight members share eight cards
  CHECK(all_gather_s(1e9, 8, nvlink) == Approx(7 * nvlink.latency_s + 7.0 / 8.0 * 1e9 / 360e9));
  CHECK(all_reduce_s(1e9, 8, nvlink) == Approx(all_gather_s(1e9, 8, nvlink) + reduce_scatter_s(1e9, 8, nvlink)));
  CHECK(all_gather_s(1e9, 1, nvlink) == 0.0);
  NetworkParams thin = net;  // only rings with few members per pod feel the thin layer
  thin.pod_oversubscription_ratio = 48;
  CHECK(group_link(thin, {128, 128}).B_per_s == Approx(20e9));
  CHECK(group_link(thin, {16, 128}).B_per_s == Approx(40e9));
}
