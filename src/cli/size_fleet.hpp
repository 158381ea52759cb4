#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

/// What `size --for gpus` and `--for cap` take, in the units of the command line.
struct FleetOptions {
  std::string file, write;
  std::vector<std::string> set;  ///< overrides of the scenario, key=value
  double contract_MW = 0.0, breaker_frac = 0.8, cooling_unit_frac = 0.1, lowest_cap_frac = 0.6;
  std::size_t n_cap = 9, n_thread = 0;
  bool json = false, peak = false, new_site = false;
  bool extreme_day = true;  ///< gpus: the run has the climate's extreme day; false: the days of the scenario's own file
};

/// A scenario that inherits from the one sized. With overrides it has everything that it inherits, so that they are in it.
/// @param tables TOML of what was found  @param set overrides, key=value
std::string scenario_found(const std::string& file, const std::string& comment, const std::string& tables,
                           const std::vector<std::string>& set);

void add_fleet_options(CLI::App& command, FleetOptions& o);

/// The most GPUs behind a connection, printed; with `write` as a scenario that inherits from the one sized.
void size_gpus(const FleetOptions& o, const tidewatt::sim::Scenario& scenario);

/// Power caps compared, printed.
void size_caps(const FleetOptions& o, const tidewatt::sim::Scenario& scenario);
