#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Contents of a folder before a pack was written into it.
struct OldPack {
  std::vector<std::string> removed;  ///< files of the old pack that the new one does not have
  std::vector<std::string> kept;     ///< other files in the folder, with the reason
};

/// Removes the files of an older pack that are not part of the new one: those that its manifest lists with the hash that
/// they still have. All other files stay: changed ones, and those that were never part of a pack.
/// @param manifest text of the old manifest.json; empty or damaged: nothing is removed  @param now names of the new pack
OldPack clear_old_pack(const std::string& folder, const std::string& manifest, const std::vector<std::string>& now);

}  // namespace TIDEWATT_NAMESPACE::study
