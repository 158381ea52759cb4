#include "filing_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

namespace fs = std::filesystem;

/// Hashes of the files that a manifest lists, by name; empty if the manifest was changed.
std::map<std::string, std::string> listed(const std::string& manifest) {
  std::map<std::string, std::string> out;
  const auto o = nlohmann::json::parse(manifest, nullptr, false);
  if (!o.is_object() || !o.contains("files") || !o["files"].is_array()) return out;
  for (const auto& f : o["files"])
    if (f.is_object() && f.contains("name") && f["name"].is_string() && f.contains("sha256") && f["sha256"].is_string())
      out[f["name"].get<std::string>()] = f["sha256"].get<std::string>();
  return out;
}

}  // namespace

OldPack clear_old_pack(const std::string& folder, const std::string& manifest, const std::vector<std::string>& now) {
  OldPack out;
  const auto old = listed(manifest);
  // Names come from the folder, not from the manifest: a name that leads elsewhere is never followed.
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    if (name == "manifest.json" || std::find(now.begin(), now.end(), name) != now.end()) continue;
    const auto path = fs::path(folder) / name;
    const auto was = old.find(name);
    if (was == old.end() || !fs::is_regular_file(fs::symlink_status(path, error))) {
      out.kept.push_back(name + ": not part of a pack");
      continue;
    }
    const bool same = sha256_hex(read_file(path.string(), std::uint64_t{1} << 32U)) == was->second;
    if (same && fs::remove(path, error))
      out.removed.push_back(name);
    else
      out.kept.push_back(name +
                         (same ? ": of an older pack, and cannot be removed" : ": of an older pack, changed since"));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
