#include "path_below.hpp"

#include <algorithm>
#include <filesystem>

namespace TIDEWATT_NAMESPACE {

namespace fs = std::filesystem;

std::optional<std::string> path_below(const std::string& folder, const std::string& name) {
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") return {};
  const fs::path path = fs::path(folder) / relative;
  // A path that cannot be followed (a circle of links, no permission) cannot be read either: the reader reports it.
  std::error_code no_folder, no_path;
  const fs::path top = fs::weakly_canonical(folder, no_folder), real = fs::weakly_canonical(path, no_path);
  if (!no_folder && !no_path && std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first != top.end())
    return {};
  return path.string();
}

}  // namespace TIDEWATT_NAMESPACE
