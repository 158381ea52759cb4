#pragma once
#include <string>

#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A scenario file with all that it inherits, so that a file that changes later changes nothing.
/// @throws InputError as `sim::load_scenario`
Node whole_tree(const std::string& path);
/// The same of a scenario's text. @param name for messages  @param folder that its paths are in
Node whole_tree(const std::string& text, const std::string& name, const std::string& folder);

/// The folder that a file is in, "." for a bare name.
std::string folder_of(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::study
