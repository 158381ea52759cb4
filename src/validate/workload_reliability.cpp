#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "catalog_in_use.hpp"
#include "groups.hpp"
#include "job_outcome.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using namespace workload;

constexpr Tick day = 86400 * ns_per_s;
constexpr Tick run_days = 54;

template <class Params>
Params from_catalog(const catalog::Catalog& catalog, const char* kind, const char* name) {
  std::vector<Finding> findings;
  const Node values = catalog.values(kind, name);
  TableReader reader(values, name, findings);
  Params params;
  params.fields(reader);
  reader.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return params;
}

/// F1: mean counts over 200 seeds inside the 99.7 % interval (3 sigma) of a Poisson mean.
void causes(const FailureRates& rates, std::vector<Row>& out) {
  constexpr int n_seed = 200;
  const auto n_node = static_cast<std::int64_t>(term("F1.n_node", 2048.0));
  std::map<std::string, double> mean;
  double unexpected = 0.0, planned = 0.0;
  for (std::uint64_t seed = 1; seed <= n_seed; ++seed)
    for (const Failure& f : draw_failures(rates, seed, n_node, 0, run_days * day)) {
      mean[cause_name(rates, f)] += 1.0 / n_seed;
      (f.planned ? planned : unexpected) += 1.0 / n_seed;
    }
  const auto row = [&](const std::string& name, double expected, double got) {
    const double reach = 3.0 * std::sqrt(expected / n_seed);
    out.push_back(within("F1/" + name, "mean count in 54 days on 2,048 nodes, seeds 1-200, 99.7 % interval", "",
                         expected - reach, expected + reach, got, 0.0, "llama3"));
  };
  row("unexpected", 419, unexpected);
  row("planned", 47, planned);
  for (std::size_t i = 0; i < rates.causes.size(); ++i)
    row(rates.causes[i], std::round(rates.rate_per_node_s[i] * 2048.0 * seconds(run_days * day)),
        mean[rates.causes[i]]);
}

/// F2: restarts with the catalog's times; iterations as long as 400 TF per GPU make them.
void llama3(const catalog::Catalog& catalog, std::vector<Row>& out) {
  const auto shape = from_catalog<ModelShape>(catalog, "model", "llama3_405b");
  const double flops = train_flops_per_token(shape, 8192) * 2048.0 * 8192.0;
  WalkedJob run{from_catalog<JobParams>(catalog, "job", "llama3_405b"),
                {16384, checkpoint_bytes(shape)},
                from_catalog<FailureRates>(catalog, "failures", "llama3_405b"),
                2048,
                128,
                to_tick(flops / (400e12 * 16384.0))};
  const JobOutcome got = outcome(run, run_days * day, 5);
  run.job.detect_s = 600, run.job.replace_s = 600, run.job.initialise_base_s = 180, run.job.warm_up_s = 120;
  run.job.planned_stop_s = 3600, run.job.checkpoint_interval_s = 1800, run.job.checkpoint_base_s = 20;
  const JobOutcome slow = outcome(run, run_days * day, 1);
  const std::string note = fmt::format(
      "times of detection, replacement, set-up and saving are assumed; with every one at the slow end of its "
      "range: {:.1f} % effective, {:.1f} min per interruption",
      100.0 * slow.effective_frac, slow.loss_min);
  out.push_back(within("F2/effective",
                       "Llama 3 405B, 16,384 GPUs, 54 days walked with the catalog's job and failures, 5 seeds", "%",
                       90, 100, 100.0 * got.effective_frac, 0.0, "llama3", note));
  out.push_back(within("F2/loss", "the same: time lost per interruption, all causes", "min", 0, 16.7, got.loss_min, 0.0,
                       "llama3", note));
}

/// F5: published bounds as inputs (10 min to detect and diagnose), the rest from the catalog.
void megascale(const catalog::Catalog& catalog, std::vector<Row>& out) {
  const auto shape = from_catalog<ModelShape>(catalog, "model", "megascale_175b");
  const WalkedJob run{from_catalog<JobParams>(catalog, "job", "megascale_175b"),
                      {12288, checkpoint_bytes(shape)},
                      from_catalog<FailureRates>(catalog, "failures", "megascale"),
                      1536,
                      192,
                      to_tick(6.34)};
  const JobOutcome got = outcome(run, 28 * day, 5);
  const char* note =
      "detection and diagnosis take the published bound of 10 min; save interval, replacement and the rate "
      "of failures are assumed";
  out.push_back(within("F5/effective", "MegaScale 175B, 12,288 GPUs, 6.34 s iterations, 28 days walked, 5 seeds", "%",
                       90, 100, 100.0 * got.effective_frac, 0.0, "megascale", note));
  out.push_back(within("F5/catch-up", "the same: replacement, restart and lost work per failure", "min", 0, 15,
                       got.catch_up_min, 0.0, "megascale", note));
}

/// F4: expected time per useful second of exponential failures, M (e^((τ+w)/M) - 1)/τ, searched in steps of 1 s.
void intervals_by_expectation(std::vector<Row>& out) {
  for (const auto& [save_s, mttf_s] : {std::pair{10.0, 10800.0}, {60.0, 10800.0}, {173.0, 6480.0}, {2.0, 1080.0}}) {
    double best_s = 1.0, least = std::expm1((1.0 + save_s) / mttf_s);
    for (int whole_s = 2; whole_s < mttf_s; ++whole_s) {
      const double tau_s = whole_s;
      if (const double cost = std::expm1((tau_s + save_s) / mttf_s) / tau_s; cost < least) least = cost, best_s = tau_s;
    }
    out.push_back(against(fmt::format("F4/w{:g}_M{:g}", save_s, mttf_s),
                          "optimum checkpoint interval: the formula against a search of the expected loss", "s", best_s,
                          optimum_checkpoint_interval_s(term("F4.save_s", save_s), mttf_s), 0.1, "rsc_reliability"));
  }
}

/// F4 again by walking jobs: share of time lost at eleven intervals, the same failures for all, and the bottom of
/// a + b/τ + cτ through them, √(b/c), by least squares.
void intervals_by_walking(std::vector<Row>& out) {
  constexpr double save_s = 60.0, mttf_s = 10800.0;
  const double formula_s = optimum_checkpoint_interval_s(save_s, mttf_s);
  WalkedJob run{{}, {1, 0.0}, {{"any"}, {1.0 / mttf_s}, {}, {}, {}, {}}, 1, 1, ns_per_s};
  run.job.storage_B_per_s = run.job.load_per_gpu_B_per_s = run.job.checkpoint_per_gpu_B_per_s = 1e9;
  run.job.checkpoint_base_s = term("F4.save_s", save_s);
  double m[3][4] = {};
  for (int k = -5; k <= 5; ++k) {
    run.job.checkpoint_interval_s = formula_s * std::exp2(0.3 * k);
    const double basis[3] = {1.0, formula_s / run.job.checkpoint_interval_s, run.job.checkpoint_interval_s / formula_s};
    const double lost = 1.0 - outcome(run, run_days * day, 20).effective_frac;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += basis[i] * basis[j];
      m[i][3] += basis[i] * lost;
    }
  }
  for (int i = 0; i < 3; ++i)  // Gauss-Jordan; the matrix is positive definite
    for (int r = 0; r < 3; ++r) {
      const double by = r == i ? 0.0 : m[r][i] / m[i][i];
      for (int j = 3; j >= i; --j) m[r][j] -= by * m[i][j];
    }
  const double found_s = formula_s * std::sqrt((m[1][3] / m[1][1]) / (m[2][3] / m[2][2]));
  out.push_back(against("F4/walked",
                        "w = 60 s, M = 3 h: the formula against jobs walked for 54 days at eleven intervals, 20 seeds",
                        "s", found_s, formula_s, 0.1, "rsc_reliability"));
}

void rates_at_scale(const catalog::Catalog& catalog, const FailureRates& llama3_rates, std::vector<Row>& out) {
  const auto rsc1 = from_catalog<FailureRates>(catalog, "failures", "rsc1");
  out.push_back(against("F3", "RSC-1, 6.5e-3 per node-day, 16,384 GPUs: mean time to failure", "h", 1.80,
                        mean_time_to_failure_s(rsc1, 2048) / 3600.0, 0.03, "rsc_reliability"));
  double n = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const Failure& f : draw_failures(llama3_rates, seed, 12500, 0, run_days * day)) n += f.planned ? 0.0 : 0.2;
  out.push_back(within("F6",
                       "xAI Memphis, 100,000 H100 at the Llama 3 rates: hours per interruption, 54 days drawn, 5 seeds",
                       "h", 0.46, 0.51, seconds(run_days * day) / 3600.0 / n, 0.05, "llama3"));
}

}  // namespace

std::vector<Row> reliability_rows(const Context&) {
  const catalog::Catalog& catalog = catalog_in_use();
  const auto llama3_rates = from_catalog<FailureRates>(catalog, "failures", "llama3_405b");
  std::vector<Row> out;
  causes(llama3_rates, out);
  llama3(catalog, out);
  intervals_by_expectation(out);
  intervals_by_walking(out);
  megascale(catalog, out);
  rates_at_scale(catalog, llama3_rates, out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
