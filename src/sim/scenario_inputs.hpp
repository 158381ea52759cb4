#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The files that decide a run besides the scenario's own text, as comment lines for the end of `Scenario::text`:
///
///     # ---- input weather NAME sha256=DIGITS          the EPW or CSV file, in any folder
///     # ---- input recording NEIGHBOUR=NAME sha256=…   one per replayed neighbour
///     # ---- input catalog KIND/FILE.toml sha256=…     one per file of the overlay
///     # ---- input catalog built-in sha256=…
///
/// Together with the text itself (scenario, base files, overrides), it then names every input.
/// @throws InputError if one of the files cannot be read
std::string input_lines(const Scenario& scenario, const LoadOptions& options);

/// The inputs that a text's comment lines name, one per line: "weather NAME sha256=…"; empty if it names none.
std::string inputs_of(const std::string& text);

/// What differs between the inputs of two runs: scenario file, base files, overrides, and every file of `input_lines`.
/// The folder of a file does not matter.
/// @param before, now `Scenario::text` of either run  @returns one finding per difference, by name; empty if none
std::vector<Finding> input_changes(const std::string& before, const std::string& now);

}  // namespace TIDEWATT_NAMESPACE::sim
