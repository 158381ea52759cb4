#include "evidence_life.hpp"

#include <algorithm>

#include "base/fields_of.hpp"
#include "catalog_in_use.hpp"
#include "job_outcome.hpp"
#include "training_runs.hpp"
#include "workload/iteration.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double gpus_per_server = 8.0;
constexpr Tick ten_days = Tick{10} * 86400 * ns_per_s;

template <class Params>
Params entry_of(const std::string& kind, const std::string& name) {
  return fields_of<Params>(catalog_in_use().values(kind, name));
}

}  // namespace

double hours_between_failures(const std::string& rates, double n_gpu) {
  const auto entry = entry_of<workload::FailureRates>("failures", rates);
  double per_node_s = 0.0;
  for (const double rate : entry.rate_per_node_s) per_node_s += rate;
  return 1.0 / (per_node_s * n_gpu / gpus_per_server * 3600.0);
}

double restart_s(const std::string& job_name, const std::string& model, double n_gpu) {
  const auto job = entry_of<workload::JobParams>("job", job_name);
  const workload::JobSize size{static_cast<std::int64_t>(n_gpu), workload::checkpoint_bytes(model_entry(model))};
  return job.detect_s + job.tear_down_s + job.replace_s + workload::initialise_s(job, size) +
         workload::load_s(job, size) + job.warm_up_s;
}

double lost_frac(const std::string& rates, const std::string& job, const std::string& model, double n_gpu,
                 double iteration_s) {
  const auto n_node = static_cast<std::int64_t>(n_gpu / gpus_per_server);
  const WalkedJob run{entry_of<workload::JobParams>("job", job),
                      {static_cast<std::int64_t>(n_gpu), workload::checkpoint_bytes(model_entry(model))},
                      entry_of<workload::FailureRates>("failures", rates),
                      n_node,
                      std::max<std::int64_t>(1, n_node / 16),
                      to_tick(iteration_s)};
  return 1.0 - outcome(run, ten_days, 5).effective_frac;
}

double slow_gpu_frac(const EvidenceRun& run, double pace) {
  const workload::IterationModel model{run.shape, run.plan, run.compute, run.network};
  const double usual = slowest_pace_at(run.gpu, run.tdp_W, model);
  return seconds(model.iteration({{usual * pace}}).period) / seconds(model.iteration({{usual}}).period) - 1.0;
}

}  // namespace TIDEWATT_NAMESPACE::validate
