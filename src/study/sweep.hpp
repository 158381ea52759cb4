#pragma once
#include <functional>
#include <optional>
#include <string>

#include "case_runner.hpp"
#include "sweep_table.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct SweepProgress {
  std::size_t n_done = 0, n_failed = 0, n_total = 0;  ///< of this shard, equal cases counted once
  std::optional<double> left_s;                       ///< estimate from this process's cases; none before the first
};

struct SweepRunOptions {
  Shard shard;
  std::size_t n_worker = 0;   ///< processes; 0: one per core. The table does not depend on it.
  bool retry_failed = false;  ///< run failed cases again
  std::function<void(const SweepProgress&)> progress;
  std::function<bool()> stop;  ///< true ends the sweep within 0.2 s; finished cases stay
};

constexpr std::size_t most_failures = 3;  ///< that an outcome names

struct SweepOutcome {
  std::size_t n_total = 0, n_done = 0, n_failed = 0, n_ran = 0;
  bool stopped = false;
  std::vector<std::string> damaged;   ///< finished files that were not as written; their cases ran again
  std::vector<std::string> failures;  ///< the first few failed cases, each with its number and error
};

/// Runs the cases of a shard that are not finished yet, in a pool of processes. Stop it, kill it, call it again: no
/// finished case is lost or repeated. A case that fails, or crashes its process twice, is a finished case with an error.
/// @throws InputError if another process runs this shard  @throws OutputError if the folder cannot be written
SweepOutcome run_sweep(const CaseRunner& runner, const std::string& folder, const SweepRunOptions& options = {});

/// The cases that a reading of the store leaves to do, ascending: of the shard, not finished, equal ones once.
std::vector<std::size_t> unfinished(const CaseList& cases, const Shard& shard,
                                    const std::map<std::size_t, CaseStore::Finished>& finished,
                                    bool retry_failed = false);

/// Reads all cases of a finished sweep (all shards), writes `table.csv` and `table.h5`, and for tornado, monte_carlo and
/// sobol_indices `analysis.csv`, into its folder; no analysis where too many cases failed (`refused_analysis`). Reads one case at a time: memory contains only the table's numbers.
/// @returns the table
/// @throws InputError if cases are missing or damaged, naming how many and the first ones  @throws OutputError
SweepTable merge_sweep(const CaseRunner& runner, const std::string& folder);

}  // namespace TIDEWATT_NAMESPACE::study
