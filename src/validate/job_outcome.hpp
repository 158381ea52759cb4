#pragma once
#include "job_walk.hpp"
#include "tidewatt/workload/failures.hpp"
#include "tidewatt/workload/job_params.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A job whose life is walked by its events.
struct WalkedJob {
  workload::JobParams job;
  workload::JobSize size;
  workload::FailureRates rates;
  std::int64_t n_node = 0, n_replica = 0;
  Tick iteration = 0;
};

/// Means over seeds.
struct JobOutcome {
  double effective_frac = 0.0, loss_min = 0.0, catch_up_min = 0.0;
};
/// A run walked by its events once for each seed from 1 on. @param n_seed a count
JobOutcome outcome(const WalkedJob& run, Tick length, std::uint64_t n_seed);

}  // namespace TIDEWATT_NAMESPACE::validate
