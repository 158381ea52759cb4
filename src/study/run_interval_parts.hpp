#pragma once
// What the replays of run_interval() set. Private to study.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run_interval.hpp"
#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

inline constexpr std::int64_t interval_gpus = 512;  ///< most GPUs of a replay
inline constexpr std::size_t interval_draws = 64;   ///< most replays of a part
inline constexpr double interval_days = 30.0;       ///< by which the start is moved, at most [assumed]

using Assignments = std::vector<std::string>;  ///< key=value, as LoadOptions::set

/// The scenario with a smaller fleet. Every replica keeps its work.
struct Reduced {
  Assignments set;
  std::int64_t n_gpu = 0;
  double share = 1.0;                ///< its GPUs over the site's
  std::set<std::string> with_share;  ///< assumed inputs that are as much smaller: sizes of a site battery
  std::string refusal;               ///< why there is none
};
/// Jobs and halls in proportion, in whole replicas and servers; a site battery's power, energy and limits with them.
Reduced reduced_fleet(const sim::Scenario& scenario);

/// What a part sets in draw i; empty: the part has nothing to draw, and `note` says why.
struct PartDraws {
  std::vector<Assignments> draws;
  std::string note;
};
/// The GPU's values from its catalog draws, other assumed inputs from their ranges.
/// @param source whose file names the GPU entries  @param load of the reduced run, to which draws are added
PartDraws device_draws(const sim::Scenario& scenario, const Reduced& reduced, const IntervalSource& source,
                       const sim::LoadOptions& load);
/// Starts of the run on other days, where the weather is a climate's or an EPW file's.
PartDraws weather_draws(const sim::Scenario& scenario);
/// The seeds after the run's own.
PartDraws seed_draws(const sim::Scenario& scenario);

}  // namespace TIDEWATT_NAMESPACE::study::detail
