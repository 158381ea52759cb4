#pragma once
#include <string>
#include <vector>

#include "fit.hpp"
#include "fit_residuals.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One GPU of one log.
struct FittedGpu {
  std::string gpu, file, power_from;  ///< power_from says what the powers are
  std::size_t n_sample = 0;
  std::vector<FitValue> values;  ///< of this GPU and this log
  ResidualReport residuals;
  std::string unit = "K";  ///< of the residuals
};

/// What one part of a fit leaves over.
struct FittedResiduals {
  std::string of, unit;  ///< what was fitted; unit of the figures
  ResidualReport report;
};

/// A catalog entry fitted to a log, and notes on the fit.
struct FittedEntry {
  std::string kind, name;                       ///< catalog kind and name
  std::string toml;                             ///< the entry's file: values with source and 95 % interval
  std::vector<FitValue> values;                 ///< fitted values, in the unit of each key
  double rms = 0.0;                             ///< of the residuals of the first fit, in the unit of the measurement
  std::string text;                             ///< for people: fits, intervals, and what the log could not give
  std::vector<FittedGpu> gpus;                  ///< of a fit to GPUs
  std::vector<FittedResiduals> residuals = {};  ///< of other fits
  /// Keys whose best value is an end of the search.
  std::vector<std::string> at_bound() const;
};
/// One JSON object on one line: kind, name, values with low, high, identified, at_bound, and each GPU's own.
std::string fit_json(const FittedEntry& entry);

struct FitGpuOptions {
  /// Telemetry: time, power, temperature, clock; an energy counter is used where there is one.
  std::vector<std::string> files;
  std::string name;                    ///< of the new entry
  std::string base = "h100_sxm_700W";  ///< gpu entry that gives what telemetry cannot, and the middle of the priors
  std::string gpu;                     ///< which GPU of each file; empty: all
  double before_W = -1.0;       ///< power at which the GPUs rested before the record; below 0: unknown, so fitted
  double power_window_s = 1.0;  ///< averaging window of each power reading, 0 to 30 s
  double fan_frac = 1.0;        ///< fan speed during the record, 0.05 to 1
};
/// Thermal poles and leakage of one GPU, or of the chips of several logs and the type they share.
/// @throws InputError if the log lacks what is needed; SolverError if no package has the poles
FittedEntry fit_gpu_log(const FitGpuOptions& options);

struct FitNodesOptions {
  std::string file, name;             ///< power log; name of the new entry
  std::string events;                 ///< job events; empty: the whole log is one training interval
  double meter_period_s = 2.0;        ///< time between the meters' publications, 0.01 to 60 s
  double iterations_per_token = 0.0;  ///< iterations of a block ÷ its tokens; 0: iterations not resolved
};
/// Power levels of nodes from a power log. @throws InputError naming file and line; SolverError as least_squares
FittedEntry fit_nodes_log(const FitNodesOptions& options);

/// Air, resistances and fan loop from power_mean_W, power_min_W, power_max_W and temperature_mean_degC.
/// @param file table of text  @param name of the new entry  @throws InputError
FittedEntry fit_fans_log(const std::string& file, const std::string& name);

/// A node's power against the sum of its GPUs, from gpu_sum_W and node_W.
/// @param file table of text  @param name of the new entry  @throws InputError
FittedEntry fit_overhead_log(const std::string& file, const std::string& name);

/// Writes FOLDER/KIND/NAME.toml, which `--catalog FOLDER` then finds. @returns its path
/// @throws InputError unless the name is one (base/name.hpp) and, without `force`, for a value at an end of its search; OutputError
std::string write_entry(const FittedEntry& entry, const std::string& folder, bool force = false);

}  // namespace TIDEWATT_NAMESPACE::study
