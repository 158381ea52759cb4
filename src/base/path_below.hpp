#pragma once
#include <optional>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// The path of a file that an input file names, if it is below `folder` also after symbolic links are followed.
/// @param folder of the input file  @param name relative path, as written
/// @return nothing for an empty or absolute path, or one that leads out of the folder; the file itself may be missing
std::optional<std::string> path_below(const std::string& folder, const std::string& name);

}  // namespace TIDEWATT_NAMESPACE
