#pragma once
// Private to sim: what jobs trained, each by itself and the site as a whole.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fleet/smoothing_acts.hpp"
#include "tidewatt/sim/result.hpp"
#include "workload/utilisation.hpp"

namespace TIDEWATT_NAMESPACE::sim {

class Simulation;

/// Figures of a job's training, or of all jobs of a site. What is not known is NaN.
struct TrainingFigures {
  double n_gpu = 0.0, iterating_s = 0.0;  ///< GPUs; time in iterations, per GPU
  double iteration_s = 0.0, tokens_per_s = 0.0;
  workload::Utilisation used;
  double clock_mean_Hz = 0.0;     ///< while iterating, waiting included
  double clock_slowest_Hz = 0.0;  ///< lowest over the run of the slowest GPU, over its host's slowness
  double clock_alone_Hz =
      0.0;  ///< mean of what GPUs would have without waiting for the slowest, over their hosts' slowness
  double behind_frac = 0.0;          ///< mean distance of the slowest from `clock_alone_Hz`, over the latter
  double straggler_loss_frac = 0.0;  ///< tokens lost because all wait for the slowest, over those without
  double die_mean_K = 0.0, memory_mean_K = 0.0;
  std::vector<std::pair<std::string, double>> limiter_share;  ///< of compute time
  double since_start_s = 0.0, effective_frac = 0.0;  ///< time since it got its GPUs; share of it whose work was kept
  fleet::SmoothingActs smoothing;                    ///< mean over GPUs
};

/// [job] of a run. The loss to stragglers compares two schedules of the same plan, T, at the means over the run of both clocks:
///
///     loss = (T(slowest) − T(alone)) / T_run
///
/// T_run: mean length of an iteration, with its scatter. An iteration on a beat is no shorter than the beat.
std::vector<TrainingFigures> training_figures(const Simulation& run);
/// All of them: throughput is a sum, the slowest clock the lowest, and all others are means over GPUs and time. One job's are its own.
TrainingFigures site_training(std::span<const TrainingFigures> jobs);

/// The figures of a summary that jobs and site share, in print order; null: not known.
std::vector<std::pair<std::string, Value>> training_values(const TrainingFigures& f);
std::vector<std::pair<std::string, Value>> clock_values(const TrainingFigures& f);

}  // namespace TIDEWATT_NAMESPACE::sim
