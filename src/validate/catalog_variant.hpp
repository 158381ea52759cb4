#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A catalog file with one value changed; of a list each number. The rest of the text stays.
/// @param key dotted, as in `[sources]`, e.g. "power.leakage_W"  @param change of each number
/// @throws InputError if the text has no such key or no number there
std::string with_value(const std::string& toml, const std::string& key, const std::function<double(double)>& change);

/// A temporary folder of catalog files, removed at the end.
class VariantFolder {
 public:
  VariantFolder();
  ~VariantFolder();
  VariantFolder(const VariantFolder&) = delete;
  VariantFolder& operator=(const VariantFolder&) = delete;
  /// Writes an entry. @throws OutputError where it cannot be written
  void add(const std::string& kind, const std::string& name, const std::string& toml) const;
  std::string path() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace TIDEWATT_NAMESPACE::validate
