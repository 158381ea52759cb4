#pragma once
#include <string>

#include "tidewatt/sim/run.hpp"

namespace tidewatt::io {

/// Puts a simulation's state into a file, whole or not at all (see write_durably):
///
///     "tidewatt checkpoint 1\n"  SHA-256 of the rest (64 digits)  "\n"  version "\n"  SHA-256 of the scenario "\n"  state
///
/// @param scenario_text what the engine was made from  @throws OutputError
void write_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text);

/// Puts an engine made from the same scenario where the checkpoint left one; it goes on with the same bits.
/// @param other_scenario accept another scenario with a fleet and jobs of the same shape, for what-if branches
/// @throws InputError if the file is damaged, of another version, or of another scenario
void read_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text,
                     bool other_scenario = false);

}  // namespace tidewatt::io
