#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Names of the scenarios that come with tidewatt, [n]: `base = "NAME"` inherits from one, and commands take the name
/// instead of a file.
std::vector<std::string> shipped_scenarios();

/// Text of a shipped scenario, by its name with or without `.toml`; nothing if there is none of this name.
std::optional<std::string> shipped_scenario(const std::string& name);

/// A scenario's text: of the file, or where there is no such file, of the shipped scenario of this name.
/// @throws InputError if there is neither, or the file cannot be read or is above 16 MiB
std::string scenario_text(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::sim
