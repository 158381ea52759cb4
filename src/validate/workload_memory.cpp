#include <fmt/format.h>

#include "groups.hpp"
#include "row_term.hpp"
#include "tidewatt/workload/job_params.hpp"
#include "training_runs.hpp"
#include "workload/memory.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double GiB = 1073741824.0;
constexpr const char* korthikanti = "arXiv 2205.05198";
constexpr const char* megascale = "arXiv 2402.15627";

void activation_rows(std::vector<Row>& rows) {
  struct Case {
    const char* name;
    const char* model;
    std::int64_t pp, chunks, micro_batch;
    double stored_GiB, selective_GiB;
  };
  constexpr Case cases[] = {{"22B", "gpt_22b", 1, 1, 4, 59.25, 9.5625},
                            {"175B", "gpt3_175b", 8, 3, 1, 66.84, 12.35},
                            {"530B", "gpt_530b", 35, 3, 1, 114.02, 23.08},
                            {"1T", "gpt_1t", 64, 1, 1, 131.25, 26.56}};
  for (const Case& c : cases) {
    auto plan = megatron_plan(8 * c.pp, 8, c.pp, c.micro_batch * c.pp * 4, c.micro_batch, c.chunks);
    plan.recompute = "none";
    rows.push_back(against(fmt::format("W13/{}", c.name), fmt::format("{}, all activations stored", c.name), "GiB",
                           c.stored_GiB, workload::activation_bytes(model_entry(c.model), plan) / GiB, 0.001,
                           korthikanti));
    plan.recompute = "selective", plan.sequence_parallel = true;
    rows.push_back(against(
        fmt::format("W13/{}-sel", c.name), fmt::format("{}, sequence parallel, selective recomputation", c.name), "GiB",
        c.selective_GiB, workload::activation_bytes(model_entry(c.model), plan) / GiB, 0.001, korthikanti));
  }
}

void recomputation_rows(std::vector<Row>& rows) {
  for (const TrainingRun& run : training_runs())
    if (run.id.starts_with("W14/")) rows.push_back(step_row(run, iteration_s(run)));
}

void set_up_rows(std::vector<Row>& rows) {
  const auto set_up_s = [](const char* variant, std::int64_t n_gpu) {
    workload::JobParams job;
    job.initialise = variant;
    return workload::initialise_s(job, {static_cast<std::int64_t>(term("W15.n_gpu", static_cast<double>(n_gpu))), 0.0});
  };
  const char* fitted = "the variant's constant follows from this row";
  rows.push_back(calibrated(against("W15/naive", "communicators of 2,048 GPUs, blocking store", "s", 1047,
                                    set_up_s("naive", 2048), 0.10, megascale),
                            fitted));
  rows.push_back(calibrated(
      against("W15/improved", "same, non-blocking store", "s", 361, set_up_s("improved", 2048), 0.10, megascale),
      fitted));
  rows.push_back(
      within("W15/current", "same, ordered set-up: below 5 s", "s", 0, 5, set_up_s("current", 2048), 0.0, megascale));
  rows.push_back(within("W15/large", "12,288 GPUs, ordered set-up: below 30 s", "s", 0, 30, set_up_s("current", 12288),
                        0.0, megascale));
}

}  // namespace

std::vector<Row> workload_memory_rows(const Context&) {
  std::vector<Row> rows;
  activation_rows(rows);
  recomputation_rows(rows);
  set_up_rows(rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
