#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "groups.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using workload::AttentionCount;

constexpr double h100_peak_FLOP_per_s = 989.4e12;

double rate_TF(const TrainingRun& run, double s, AttentionCount count) {
  const double per_token =
      workload::train_flops_per_token(model_entry(run.model), double(run.plan.sequence_tokens), count);
  return run.plan.tokens_per_iteration() * per_token / s / double(run.plan.n_gpu) * 1e-12;
}

double share_pct(double TF) { return 100.0 * TF * 1e12 / h100_peak_FLOP_per_s; }

}  // namespace

std::vector<Row> workload_llama_rows(const Context&) {
  const std::vector<TrainingRun> runs = training_runs();
  std::vector<Row> rows;
  const TrainingRun &small = run_named(runs, "W9"), &large = run_named(runs, "W10"), &wide = run_named(runs, "W11");
  const double small_s = iteration_s(small), large_s = iteration_s(large), wide_s = iteration_s(wide);
  const auto causal = [](const TrainingRun& run, double s) { return rate_TF(run, s, AttentionCount::causal); };
  rows.push_back(
      calibrated(against("W9", small.what, "TF", 430, causal(small, small_s), 0.01, small.source),
                 fmt::format("sets the matrix efficiency of H100: exact at {:.4f}; the clock is the governor's",
                             exact_efficiency(small))));
  rows.push_back(calibrated(within("W9/iteration", small.what, "s", 12.0, 12.5, small_s, 0.01, small.source), "as W9"));
  rows.push_back(against("W10", large.what, "TF", 400, causal(large, large_s), large.tolerance_frac, large.source));
  rows.push_back(against("W10/util", large.what, "%", 41, share_pct(causal(large, large_s)), 0.05, large.source));
  rows.push_back(within("W10/iteration", large.what, "s", 6.4, 6.75, large_s, 0.05, large.source));
  const std::string counted = fmt::format(
      "attention counted causal as in W9 and W10; counted in full the same iteration of {:.2f} s would read {:.0f} TF "
      "(the paper does not say which)",
      wide_s, rate_TF(wide, wide_s, AttentionCount::full));
  rows.push_back(against("W11", wide.what, "TF", 380, causal(wide, wide_s), wide.tolerance_frac, wide.source, counted));
  rows.push_back(against("W11/util", wide.what, "%", 38, share_pct(causal(wide, wide_s)), 0.10, wide.source));

  // To 10 ms, as the step is published.
  const TrainingRun host = host_gap_run();
  const double host_s = iteration_s(host), gap_s = compute_entry(host.device).host_gap_s,
               exact_s = 0.01 * std::round(100.0 * (gap_s + host.expected_s - host_s));
  rows.push_back(calibrated(
      against(host.id, host.what, "s", host.expected_s, host_s, host.tolerance_frac, host.source),
      fmt::format("sets the host's gap of H100 and H200: exact at {:.4f} s; the chunks per stage, 8, are not "
                  "published",
                  std::max(0.0, exact_s))));

  const workload::ModelShape shape = model_entry("llama3_405b");
  rows.push_back(against("W12/parameters", "Llama 3 405B", "1e9", 405.8, workload::parameter_count(shape) * 1e-9, 0.002,
                         small.source));
  rows.push_back(against("W12/FLOPs", "Llama 3 405B, 8,192 tokens, causal", "TF/token", 2.524,
                         workload::train_flops_per_token(shape, 8192) * 1e-12, 0.002, small.source));
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
