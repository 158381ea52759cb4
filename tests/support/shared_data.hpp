#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

/// The folder of reference measurements: $TIDEWATT_SHARED_DATA, or `shared/data` beside the repository. Tests that need
/// it skip with a message where it is absent.
inline std::optional<std::filesystem::path> shared_data(const std::string& below) {
  const char* set = std::getenv("TIDEWATT_SHARED_DATA");
  const std::filesystem::path root = set ? set : std::filesystem::path(TIDEWATT_SOURCE_DIR) / ".." / "shared" / "data";
  if (std::filesystem::exists(root / below)) return root / below;
  return std::nullopt;
}
