#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fit.hpp"
#include "power/sensor.hpp"

namespace TIDEWATT_NAMESPACE::study {

enum class NodeWork { idle, train, evaluate };

/// Intervals of the job log, with the nodes' work. Times between intervals are idle.
struct WorkInterval {
  double start_s, end_s;
  NodeWork work;
  std::int64_t iterations = 0;  ///< of a training interval; 0: not resolved
};

/// Power of the mean node in its states, W, true (before any meter).
struct NodeLevels {
  double idle_W, train_W, evaluate_W;
  double dip_W, dip_start_s, dip_s;        ///< once per iteration, `dip_start_s` after its beginning (negative: before)
  double notch_W, notch_start_s, notch_s;  ///< once per evaluation
  double window_s;                         ///< the meter's own trailing mean
};

/// True power of the mean node over the intervals, W. @throws InputError if an interval is not positive
power::StepWave node_wave(const NodeLevels& levels, std::span<const WorkInterval> intervals);

/// What a log of many unsynchronised meters shows: each publishes its `window_s` mean every `period_s`, the log takes the
/// newest, and phases are spread evenly. @returns mean node power at `time_s`, W, [sample]
std::vector<double> log_of(const power::StepWave& wave, const NodeLevels& levels, double period_s,
                           std::span<const double> time_s);

/// Measured node power: the mean over the nodes, by sample.
struct NodePowerLog {
  std::vector<double> time_s, node_W;
};

struct Rest;  // fit_rests.hpp

struct NodePowerFit {
  NodeLevels levels;
  Fit fit;  ///< intervals of the fitted values
};
/// Levels, dip and notch that make the meters show the log. States that do not occur keep 0 W.
/// @param period_s  between the meter's publications, s
/// @param rests     cut out of the intervals (find_rests); begin and end of each are fitted as `rest1_begin_s`, `rest1_end_s`, …, within two
///                  publications. A node in an evaluation's notch waits as in a rest: `notch_W` is then `idle_W` and only its width is fitted
/// @throws InputError if log and intervals do not fit together
NodePowerFit fit_node_power(const NodePowerLog& log, std::span<const WorkInterval> intervals, double period_s,
                            std::span<const Rest> rests = {});

}  // namespace TIDEWATT_NAMESPACE::study
