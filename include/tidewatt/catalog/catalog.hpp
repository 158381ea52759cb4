#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::catalog {

/// A value that is assumed rather than sourced: it belongs on every result. Of a key that takes one word of a list, a value is the
/// word's place in that list, counted from 0.
struct TIDEWATT_API AssumedInput {
  std::string key;                   ///< full key path in the scenario, e.g. `hall.a.gpu.power.leakage_W`
  double value = 0.0;                ///< what the scenario has, in the key's edge unit
  double low = 0.0, high = 0.0;      ///< ends of its range, in the key's edge unit
  std::string source;                ///< what the range or the words rest on
  std::vector<double> values{};      ///< equally likely, ascending, [n]; empty: any from low to high
  std::vector<std::string> words{};  ///< what `values` mean, [n]; empty: a number

  /// A value in print: its word, or the number with six digits. @param x one of `values`, or a number in the key's unit
  std::string text(double x) const;
  /// What is drawn, in print: `none, selective or full`, `4 or 8`, `0 to 0.9`.
  std::string choices() const;
};

/// The project's data files (compiled in), overlaid by a user's folder of the same layout.
class TIDEWATT_API Catalog {
 public:
  /// @param overlay folder whose *.toml files add to or replace entries (by kind and name); empty: none.
  /// @throws InputError if a file has no `kind` and `name` or is not valid TOML
  explicit Catalog(const std::string& overlay = "");

  using Key = std::pair<std::string, std::string>;  ///< kind, name
  std::vector<Key> list() const;
  /// Whether there is such an entry.
  bool has(const std::string& kind, const std::string& name) const;
  /// The file as text, for `catalog show`. @throws InputError with the nearest known name.
  const std::string& text(const std::string& kind, const std::string& name) const;
  /// The entry without `schema`, `kind`, `name`, `[sources]`, `[assumed]`. @throws InputError.
  Node values(const std::string& kind, const std::string& name) const;

  /// `spec` is a name, or a table with `catalog = name` and keys that override the entry's. A table without `catalog`
  /// stands alone. Errors are added to `findings`; assumed values that the spec does not override to `assumed`. Of a word only
  /// `key`, `source` and `words` are set: the catalog does not know the list that a key takes its words from.
  Node resolve(const Node& spec, const std::string& kind, const std::string& path, std::vector<Finding>& findings,
               std::vector<AssumedInput>& assumed) const;

 private:
  class Entry;
  using Entries = std::map<Key, std::shared_ptr<const Entry>>;
  static const Entries& built_in();
  static void add(Entries& entries, std::string text, std::string file);
  const Entry& find(const std::string& kind, const std::string& name) const;
  Entries entries_;
};

}  // namespace TIDEWATT_NAMESPACE::catalog
