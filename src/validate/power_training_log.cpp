#include <filesystem>

#include "groups.hpp"
#include "training_runs.hpp"
#include "tidewatt/workload/mlperf_log.hpp"

namespace tidewatt::validate {
namespace {

using namespace workload;

/// P6, the period: the plan that training_runs.hpp lists, with the step that the log shows.
void period(const MlperfLog& log, std::vector<Row>& out) {
  double mean_s = 0.0;
  const auto steps = log.steps();
  for (const auto& s : steps) mean_s += s.duration_s / static_cast<double>(steps.size());
  const auto runs = training_runs();
  const auto& run = run_named(runs, "P6/period");
  out.push_back(against("P6/period", run.what, "s", mean_s, iteration_s(run), 0.10, "mlperf_v4"));
}

}  // namespace

std::vector<Row> training_log_rows(const Context& context) {
  const auto run = context.data / "mlperf_h100_512gpu_gpt3" / "result_5849-240518014016374832336_1";
  if (!std::filesystem::exists(run.string() + "_events.csv"))
    return {skipped("P6/period", "GPT-3 175B, 512 H100: seconds per step from the plan", "mlperf_v4",
                    "no measurement files")};
  std::vector<Row> out;
  period(read_mlperf_log(run.string() + "_ac.csv", run.string() + "_events.csv"), out);
  return out;
}

}  // namespace tidewatt::validate
