#pragma once
// Node power logs with their job's events, as merged from published training results.
#include <filesystem>
#include <string>
#include <vector>

#include "tidewatt/study/fit_node_power.hpp"

namespace tidewatt::validate {

struct JobLog {
  std::vector<double> time_s;                ///< from run_start
  std::vector<double> node_W;                ///< mean over the nodes
  std::vector<study::WorkInterval> work;     ///< training blocks and evaluations, in order
  double run_s = 0.0;
};

/// @param stem  path without `_ac.csv`, `_events.csv`  @param sensor "ac" or "dc"
/// @param iterations_per_token  iterations = tokens of a block × this; 0: not resolved
JobLog read_job_log(const std::filesystem::path& stem, const std::string& sensor, double iterations_per_token);

}  // namespace tidewatt::validate
