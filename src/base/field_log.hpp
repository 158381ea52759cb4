#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// One key read by a strict reader.
struct FieldEntry {
  enum class Kind { number, integer, flag, text, choice, numbers, texts, table, list, entry };
  /// Pattern of the table's path, items of lists as `*`: "hall.*.gpu.power"; empty for the top level.
  std::string table;
  FieldInfo info;  ///< key, unit, default, range, sentence; `value` is the default
  Kind kind = Kind::text;
  std::vector<std::string> options;  ///< words of a choice, [n]
  std::string catalog_kind;          ///< of an entry: the kind of catalog entry that it names
  std::string variant;               ///< word of the table's `kind` or `type` that had been read before; empty: none
  std::string example;               ///< value in the file that was read, as TOML; empty where the file has none
};

/// All keys that a reader reads from a file: the format, as the reader itself has it. Schema and
/// reference are made from it, so neither can differ from what the reader accepts.
class FieldLog {
 public:
  /// Adds a key of the table at `path`; the entry's `table` is set here.
  void add(const std::string& path, FieldEntry entry);
  /// Declares that `path` is a list of tables whose items are `path.NAME`.
  void list(const std::string& path) { lists_.insert(path); }
  /// The path with the names of list items replaced by `*`.
  std::string pattern(std::string_view path) const;
  /// All keys in the order in which they were read, [n]; the same key of several items repeats.
  const std::vector<FieldEntry>& entries() const { return entries_; }

 private:
  std::set<std::string> lists_;  ///< patterns
  std::vector<FieldEntry> entries_;
};

}  // namespace TIDEWATT_NAMESPACE
