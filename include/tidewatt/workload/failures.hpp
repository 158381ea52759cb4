#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Rates of interruptions by cause. Unexpected causes act on nodes and scale with their number; planned ones act on the job.
struct TIDEWATT_API FailureRates {
  std::vector<std::string> causes;
  std::vector<double> rate_per_node_s;  ///< [cause], per node and second of calendar time
  std::vector<std::string> planned_causes;
  std::vector<double> planned_rate_per_s;  ///< [planned cause], per job
  std::vector<double> detect_s{};          ///< [cause] or empty: the job's own time for all
  std::vector<double> repair_s{};          ///< [cause] or empty; mean until the node is back, 0 = restarted in place

  void fields(FieldVisitor& v);
};

/// One interruption of a job.
struct TIDEWATT_API Failure {
  Tick tick = 0;
  std::uint32_t cause = 0;  ///< index into `causes`, then into `planned_causes` counted on
  std::int64_t node = -1;   ///< -1 for planned ones
  bool planned = false;
  static constexpr Tick as_the_job = -1, unknown = -1;
  Tick detect = as_the_job;  ///< from the failure until the job is torn down
  Tick repair = unknown;     ///< time until the node is back; 0: it stays in the job; unknown: it does not return
};

/// All interruptions in [begin, end): each cause is a Poisson process over calendar time that starts at tick 0, its
/// gaps exponential with rate λ·n_node, its node uniform. A pure function of (seed, cause name, index): neither the
/// window nor the other causes move a draw. Repairs take exponential times about their mean. Sorted by (tick, cause,
/// node).
/// @throws InputError for lists of unequal length, negative rates, a window before 0; RefusedError above 1e7 draws
TIDEWATT_API std::vector<Failure> draw_failures(const FailureRates& rates, std::uint64_t seed, std::int64_t n_node,
                                                Tick begin, Tick end);

/// The name of a failure's cause.
TIDEWATT_API const std::string& cause_name(const FailureRates& rates, const Failure& failure);

/// 1 / (n_node Σλ), unexpected causes only; infinite without any.
TIDEWATT_API double mean_time_to_failure_s(const FailureRates& rates, std::int64_t n_node);

/// Interval of work between checkpoints that loses least, √(2 w M) - w (Young 1974): w = blocking time of one, M = mean
/// time to failure; valid for w ≪ M.  @throws InputError unless 0 < w < 2 M
TIDEWATT_API double optimum_checkpoint_interval_s(double checkpoint_s, double mean_time_to_failure_s);

}  // namespace TIDEWATT_NAMESPACE::workload
