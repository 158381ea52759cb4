#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A tree as TOML text that reads back the same: values before tables, tables before lists of tables.
std::string toml_text(const Node& root);

/// A scenario as one file: merged over its base, overrides applied, without defaults.
/// @param text of the scenario file  @param file its name in findings  @param folder that `base` is below
/// @param set overrides, key=value  @throws InputError if one cannot be applied or a base cannot be read
std::string scenario_toml(const std::string& text, const std::string& file, const std::string& folder,
                          const std::vector<std::string>& set);

}  // namespace TIDEWATT_NAMESPACE::study
