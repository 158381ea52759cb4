#pragma once
#include "workload/job_life.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Speed of a job without limits by power or heat.
struct WalkPace {
  Tick iteration = 0;         ///< without jitter, > 0
  Tick evaluation_batch = 0;  ///< one global batch of an evaluation
};

/// Walks a job's life from `begin` to `end` by its events alone, at a given pace: what a run without thermal simulation
/// gives. Iteration i (counted by progress, so redone ones scatter as they did) takes iteration + jitter.excess_ns(i).
/// The time up to `end` is counted, with a partial last step.
/// @param life  fresh, or left by an earlier walk at `begin`; moved on in place
/// @return end of the walk: `end`, or earlier if the job is done
/// @throws InputError for a pace that is not above 0
Tick walk(workload::JobLife& life, const workload::Jitter& jitter, const WalkPace& pace, Tick begin, Tick end);

}  // namespace TIDEWATT_NAMESPACE::validate
