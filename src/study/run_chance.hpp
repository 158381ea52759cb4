#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "chance.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
class FleetClocks;
}

namespace TIDEWATT_NAMESPACE::study {

/// What the chance of a run is found from. Numbers of draws are the same on every machine, whatever they take.
struct ChanceOptions {
  std::int64_t n_input = 32;                 ///< runs with all assumed inputs drawn, a count, at least 2
  std::int64_t n_day = 8;                    ///< runs from other days of the season, a count
  std::int64_t n_instant = 20;               ///< instants of each event within an iteration, a count
  std::string catalog_overlay;               ///< as in LoadOptions
  ChancePart model;                          ///< from blind rows, made by the caller (validate::model_part)
  const sim::FleetClocks* clocks = nullptr;  ///< that the run wrote; null: the scenario is run once more for them
  std::function<bool()> stop{};              ///< asked before each replay; true ends them early
};

/// The chance of a run's headlines, from five independent parts:
///
/// * fleet: other chips in other places (fleet_expectation)
/// * instant: events at other instants of an iteration (event_instants)
/// * inputs: all assumed inputs drawn together (input_draws)
/// * weather: the start moved by up to 30 days
/// * model: what blind validation rows of the same class missed by, where there are any
///
/// Inputs and weather are replayed on a fleet of about 512 GPUs in whole parts (reduced_fleet), for the first day of longer runs; their
/// values are ratios to the same fleet's run without draws; those of inputs, where there are events, to its medians over five phases of all
/// events within an iteration. Equal inputs give equal bits on every machine and for any number of threads.
/// @param base result of the scenario's run
Chance run_chance(const sim::Scenario& scenario, const sim::Result& base, const ChanceOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::study
