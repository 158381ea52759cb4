#pragma once
// What the replays of run_interval() set. Private to study.
#include <optional>
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
  std::string refusal;  ///< why there is none
};
/// Jobs and halls in proportion, in whole replicas and servers.
Reduced reduced_fleet(const sim::Scenario& scenario);

/// What a part sets in draw i; empty: the part has nothing to draw, and `note` says why.
struct PartDraws {
  std::vector<Assignments> draws;
  std::string note;
};
/// The GPU's values from its catalog draws, other assumed inputs from their ranges.
/// @param root the scenario's file, which names the GPU entries  @param load of the reduced run, to which draws are added
PartDraws device_draws(const sim::Scenario& scenario, const Node& root, const std::string& folder,
                       const sim::LoadOptions& load);
/// Starts of the run on other days, where the weather is a climate's or an EPW file's.
PartDraws weather_draws(const sim::Scenario& scenario);
/// The seeds after the run's own.
PartDraws seed_draws(const sim::Scenario& scenario);

}  // namespace TIDEWATT_NAMESPACE::study::detail
