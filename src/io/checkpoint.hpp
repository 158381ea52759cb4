#pragma once
#include <string>

#include "tidewatt/sim/gpu_hours.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Writes a simulation's state to a file, completely or not at all (see write_durably):
///
///     "tidewatt checkpoint 4\n"  SHA-256 of the rest (64 digits)  "\n"  version "\n"  bytes of the text "\n"  text "\n"
///     bytes of the hours "\n"  hours "\n"  state
///
/// @param scenario_text what the engine was made from: `Scenario::text`, which names every input file with its hash
/// @param hours what `RunOptions::gpu_hours` has collected; null: not asked for, and the file holds 0 bytes of them
/// @throws OutputError
void write_checkpoint(const std::string& path, sim::Engine& engine, const std::string& scenario_text,
                      sim::GpuHours* hours = nullptr);

/// Checks a checkpoint's hash. @throws InputError if it cannot be read, CorruptFileError if it is not as written
void verify_checkpoint(const std::string& path);

/// The state in a checkpoint, for `sim::Engine::restore` of an engine made from the same scenario: it continues with the same
/// bits.
/// @param hours takes what the first part of the run has collected; null: not asked for
/// @param scenario_text the scenario's text now  @param other_scenario accept another scenario with a fleet and jobs of the
/// same shape, for what-if branches
/// @throws CorruptFileError if the file is damaged  @throws InputError if it is of another version; if an input is not as it
/// was, a finding for each (sim/scenario_inputs.hpp); if it has hours and none are asked for, or the other way round
std::string checkpoint_state(const std::string& path, const std::string& scenario_text, bool other_scenario = false,
                             sim::GpuHours* hours = nullptr);

}  // namespace TIDEWATT_NAMESPACE::io
