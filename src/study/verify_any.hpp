#pragma once
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Checks a file that tidewatt wrote and that carries its own hash: a result, a checkpoint, or a case of a sweep.
/// @returns its type: "result", "checkpoint" or "case of a sweep"
/// @throws InputError if the file cannot be read  @throws CorruptFileError if it is not as written, or of no known kind
std::string verify_any(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::study
