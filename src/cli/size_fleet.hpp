#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "tidewatt/sim/scenario.hpp"

/// What `size --for gpus` and `--for cap` take, in the units of the command line.
struct FleetOptions {
  std::string file, write;
  double contract_MW = 0.0, breaker_frac = 0.8, cooling_unit_frac = 0.1, lowest_cap_frac = 0.6;
  std::size_t n_cap = 9, n_thread = 0;
  bool json = false, peak = false, new_site = false;
};

void add_fleet_options(CLI::App& command, FleetOptions& o);

/// The most GPUs behind a connection, printed; with `write` as a scenario that inherits from the one sized.
void size_gpus(const FleetOptions& o, const tidewatt::sim::Scenario& scenario);

/// Power caps compared, printed.
void size_caps(const FleetOptions& o, const tidewatt::sim::Scenario& scenario);
