#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fit_node_power.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Node power logs with their job's events.
struct JobLog {
  std::vector<double> time_s;      ///< from run_start
  std::vector<double> node_W;      ///< mean over the nodes whose meters answered
  std::vector<WorkInterval> work;  ///< training blocks and evaluations, in order
  double run_s = 0.0;
  NodePowerLog part(double from_s, double to_s) const;  ///< samples in [from, to)
};

/// @param power_csv   `time_ms` or `time_s`, then one column of watts per node; empty cells are missing readings
/// @param events_csv  time_ms, type, key, value, metadata as MLPerf logs have them: run_start, run_stop, block_start,
///                    block_stop, eval_start, eval_stop
/// @param iterations_per_token  iterations of a block = its `epoch_count` × this; 0: not resolved
/// @throws InputError naming the file and line
JobLog read_job_log(const std::filesystem::path& power_csv, const std::filesystem::path& events_csv,
                    double iterations_per_token);

/// A node log without events: all of it one training interval.
JobLog read_node_log(const std::filesystem::path& power_csv);

}  // namespace TIDEWATT_NAMESPACE::study
