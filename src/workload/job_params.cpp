#include "tidewatt/workload/job_params.hpp"

#include <algorithm>
#include <array>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::array<std::string_view, 3> variants = {"naive", "improved", "current"};
constexpr std::array<std::string_view, 2> stops = {"drain", "at_once"};
constexpr std::array<std::string_view, 2> soft_styles = {"replicas", "clock"};

// Fits to the three published times at 2,048 ranks (arXiv 2402.15627 §3.5); the linear one stays below both bounds.
constexpr double naive_s_per_rank2 = 1047.0 / (2048.0 * 2048.0);
constexpr double improved_s_per_rank2 = 361.0 / (2048.0 * 2048.0);
constexpr double current_s_per_rank = 2.0e-3;

double per_gpu_B(const JobSize& size) { return size.checkpoint_B / static_cast<double>(size.n_gpu); }

}  // namespace

void JobParams::fields(FieldVisitor& v) {
  v.number("start_s", start_s, {0, 1e9}, "time at which the job gets its GPUs, since the start of the run",
           Need::optional);
  v.integer("total_iterations", total_iterations, {0, 1e12}, "iterations to do, 0 = no end", Need::optional);
  v.choice("initialise", initialise, variants, "how communicators are set up", Need::optional);
  v.number("initialise_base_s", initialise_base_s, {0, 1e5}, "start of processes before communicators");
  v.number("arrive_s", arrive_s, {0, 3600},
           "time within which the hosts start their processes, one after another; communicators wait for the last");
  v.number("load_per_gpu_GB_per_s", load_per_gpu_B_per_s, {0.001, 1000}, "loading rate of one GPU");
  v.number("storage_GB_per_s", storage_B_per_s, {0.01, 1e5}, "storage bandwidth shared by all ranks");
  v.number("warm_up_s", warm_up_s, {0, 1e5}, "time between loading and full speed");
  v.number("checkpoint_interval_s", checkpoint_interval_s, {0, 1e7}, "time between checkpoints, 0 = never");
  v.number("checkpoint_first_s", checkpoint_first_s, {0, 1e7},
           "time until the first checkpoint, 0 = the interval; staggers the checkpoints of several jobs",
           Need::optional);
  v.number("checkpoint_base_s", checkpoint_base_s, {0, 1e5}, "time for barriers and metadata of a checkpoint");
  v.number("checkpoint_per_gpu_GB_per_s", checkpoint_per_gpu_B_per_s, {0.001, 1000}, "copy rate out of one GPU");
  v.flag("checkpoint_async", checkpoint_async, "true: only the copy to host memory blocks training", Need::optional);
  v.number("copy_link_frac", copy_link_frac, {0, 1}, "fraction of peak link bandwidth while loading or saving");
  v.integer("evaluation_interval_iterations", evaluation_interval_iterations, {0, 1e9},
            "iterations between evaluations, 0 = never", Need::optional);
  v.integer("evaluation_batches", evaluation_batches, {1, 1e6}, "global batches per evaluation", Need::optional);
  v.number("detect_s", detect_s, {0, 1e6}, "time from failure to tear-down");
  v.number("tear_down_s", tear_down_s, {0, 3600},
           "time within which all hosts end their processes after detection, one after another", Need::optional);
  v.number("replace_s", replace_s, {0, 1e7}, "time to bring in a spare node and start processes");
  v.number("thermal_reset_s", thermal_reset_s, {0, 1e6},
           "time until a node that switched off by heat is in service again, 0 = restarted in place", Need::optional);
  v.integer("thermal_restarts", thermal_restarts, {0, 1000},
            "most restarts after nodes switched off by heat while parts of the cooling plant are out; then the job "
            "waits for these parts",
            Need::optional);
  v.integer("spare_nodes", spare_nodes, {-1, 1e6}, "spare nodes at the start, -1 = unlimited", Need::optional);
  v.integer("spare_racks", spare_racks, {-1, 1e6},
            "network.scale_up_gpus above a node's: spare racks (whole scale-up domains) at the start, -1 = unlimited; "
            "their trays are of no use elsewhere, spares in each rack are placement.spare_nodes_per_rack",
            Need::optional);
  v.number("planned_stop_s", planned_stop_s, {0, 1e7}, "length of planned maintenance");
  v.choice("planned_stop", planned_stop, stops,
           "how a planned stop begins: after the iteration and a checkpoint, or at once", Need::optional);
  v.choice("soft_style", soft_style, soft_styles,
           "what a soft start or stop changes in stages: clock or number of replicas", Need::optional);
  v.number("soft_start_s", soft_start_s, {0, 1e5}, "length of a soft start, 0 = all at once", Need::optional);
  v.number("soft_stop_s", soft_stop_s, {0, 1e5}, "length of a soft stop, 0 = all at once", Need::optional);
  v.integer("soft_stages", soft_stages, {1, 1000}, "stages of a soft start or stop", Need::optional);
  v.number("soft_clock_frac", soft_clock_frac, {0.05, 1}, "clock of the lowest stage ÷ full clock", Need::optional);
  v.number("soft_burn_activity", soft_burn_activity, {0, 1.5}, "filler work in ramps, 0 = waiting", Need::optional);
  jitter.fields(v);
}

double initialise_s(const JobParams& job, const JobSize& size) {
  const double n = static_cast<double>(size.n_gpu);
  const double started_s = std::max(job.arrive_s, job.initialise_base_s);
  if (job.initialise == "naive") return started_s + naive_s_per_rank2 * n * n;
  if (job.initialise == "improved") return started_s + improved_s_per_rank2 * n * n;
  return started_s + current_s_per_rank * n;
}

double load_spread_s(const JobParams& job, const JobSize& size) {
  const double at_once_s =
      std::max(size.checkpoint_B / job.storage_B_per_s, per_gpu_B(size) / job.load_per_gpu_B_per_s);
  return std::min(job.arrive_s, 0.5 * at_once_s);
}

double load_s(const JobParams& job, const JobSize& size) {
  return std::max(size.checkpoint_B / job.storage_B_per_s,
                  load_spread_s(job, size) + per_gpu_B(size) / job.load_per_gpu_B_per_s);
}

double checkpoint_blocking_s(const JobParams& job, const JobSize& size, bool async) {
  const double copy_s = per_gpu_B(size) / job.checkpoint_per_gpu_B_per_s;
  return job.checkpoint_base_s + (async ? copy_s : std::max(copy_s, checkpoint_drain_s(job, size)));
}

double checkpoint_drain_s(const JobParams& job, const JobSize& size) { return size.checkpoint_B / job.storage_B_per_s; }

double soft_share(const JobParams& job, std::int64_t stage) {
  const auto k = static_cast<double>(stage), n = static_cast<double>(job.soft_stages);
  if (job.soft_style == "clock") return job.soft_clock_frac + (1.0 - job.soft_clock_frac) * k / n;
  return (k + 1.0) / (n + 1.0);
}

}  // namespace TIDEWATT_NAMESPACE::workload
