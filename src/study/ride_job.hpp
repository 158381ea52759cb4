#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grid/phase_sag.hpp"
#include "sim/iteration_view.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A sag that strikes while a job computes.
struct JobSag {
  double level_pu = 1.0, duration_s = 0.0;
  grid::Repetition repetition{};
  double instant_s = 0.0;  ///< its begin within an iteration of the first job, 0 to less than the iteration
};

/// A part of what follows, between two changes of what the job does.
struct JobPhase {
  std::string what;                    ///< "sags", "waiting", "idle", "initialise", "load", "warm up", "iterating"
  double from_s = 0.0, until_s = 0.0;  ///< since the first sag's begin
  double mean_W = 0.0, lowest_W = 0.0, highest_W = 0.0;  ///< that the servers draw from the grid
};

/// What the servers draw from the grid before, in and behind sags, with the jobs' own watts.
struct RideJob {
  double instant_s = 0.0, iteration_s = 0.0;
  double before_W = 0.0;      ///< in the last millisecond before
  double mean_W = 0.0;        ///< over an iteration
  double lost_W = 0.0;        ///< electrical loss: what parts that left drew when they did
  double dropped_frac = 0.0;  ///< share of the servers that lost power
  double stops_after_s = -1;  ///< since the first sag's begin; −1: no server lost power, the jobs go on
  double back_s = -1;         ///< when the first job iterates again; −1: it never stopped
  /// From the last sag's end until means over an iteration stay above a share of `mean_W`; infinite: not followed so far.
  double recovery_s = 0.0;
  std::vector<JobPhase> phases;
};

/// Plays sags into groups of load whose power is that of the jobs, in steps of 1 ms:
///
///     P(t) = Σ_k w_k s_k(t) min(1, r_k V) J_k(t),   w_k share of the servers, s_k share on the grid (grid/load_group.hpp)
///     J    iterations, from `instant_s` on; behind a drop of servers without a battery, for all that still run:
///          waiting in the collective for detect_s, idle for replace_s, then initialise, load, warm up, iterations anew
///     J    of dropped servers: nothing until the job is torn down and the voltage is back, then as the others
///
/// Every job has its share of what drops, so all stop together. Assumptions: as JobWatts; other jobs and servers without a
/// job draw their mean; a part that leaves onto batteries goes on computing; what dropped is started again for the job, whether its
/// supplies return by themselves or not. @param jobs the followed one first  @param other_W of servers without a job
/// @param share_frac of the mean power that counts as back  @throws InputError for an instant outside the iteration or
/// repetitions that overlap
RideJob ride_job(std::span<const sim::JobWatts> jobs, double other_W, std::span<const grid::PhaseLoad> loads,
                 const JobSag& sag, double share_frac);

}  // namespace TIDEWATT_NAMESPACE::study
