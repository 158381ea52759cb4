#pragma once
#include <span>
#include <string>
#include <vector>

#include "fit_log.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Options of the fits to tables; each fit reads those that `TableFit::options` names.
struct FitTableOptions {
  std::vector<std::string> files;
  std::string name;  ///< of the new entry
  std::string base;  ///< catalog entry: the priors, and all values that the table cannot give; empty: TableFit::base
  std::string level = "hall";               ///< feeder: rack, row, hall or site
  std::string governor = "nvidia_sampled";  ///< limiter: entry of kind governor
  std::string gpu = "h100_sxm_700W";        ///< rows: entry of kind gpu
  std::vector<std::string> rear;            ///< rows: names of the GPUs in the rear row; empty: the second half
  double branches = 1.0;                    ///< feeder: equal branches between the meters
  double meter_frac = 0.007;       ///< feeder: 95 % of the difference between the meters' gains (two of class 0.5)
  double replicas = 1.0;           ///< jitter: data-parallel replicas
  double resolution_s = 0.0;       ///< jitter: of the log's times
  double nodes = 0.0, days = 0.0;  ///< failures: nodes under watch and for how long; 0: from a table of jobs
  double rated_it_W = 0.0;         ///< plant: heat that it is built for; 0: the table's largest
  double fan_frac = 1.0;           ///< rows: fan speed
  double power_window_s = 1.0;     ///< limiter: averaging window of each power reading
};

/// One fit to a table.
struct TableFit {
  const char* word;     ///< of the command
  const char* help;     ///< one line
  const char* columns;  ///< that it reads
  const char* base;     ///< default of FitTableOptions::base
  std::vector<std::string> options;
  FittedEntry (*run)(const FitTableOptions&);
};
/// All of them, in the order of the help.
std::span<const TableFit> table_fits();
/// Runs one by its word. @throws InputError for an unknown word, an option out of range, a missing column or too few rows
FittedEntry fit_table(const std::string& word, FitTableOptions options);

}  // namespace TIDEWATT_NAMESPACE::study
