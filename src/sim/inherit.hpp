#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Version of the scenario format, its key `schema`.
inline constexpr std::int64_t scenario_format = 1;

/// A scenario tree merged over its base (`base = "FILE"`).
struct Inherited {
  Node root;                                               ///< without `base`; its place is the scenario's own
  std::vector<std::pair<std::string, std::string>> bases;  ///< file as named and its text, the nearest first
};

/// Reads the chain of bases, each a file below `folder`.
/// @param given a scenario as parsed  @param folder of the scenario file
/// @throws InputError at the `base` that names no file, leads out of the folder, closes a circle or exceeds 16 files, and at the `schema` of a
/// newer version
Inherited inherit(Node given, const std::string& folder);

}  // namespace TIDEWATT_NAMESPACE::sim
