#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// A parsed TOML value that remembers where it was written, also after merging and `--set`.
struct TIDEWATT_API Node {
  using Array = std::vector<Node>;
  using Table = std::vector<std::pair<std::string, Node>>;  // in order of appearance
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table>;
  Value value;
  Place place;

  // Defined elsewhere: a Table's pairs ask for them while Node is not complete yet (clang insists).
  /// An empty value at no place.
  Node();
  Node(Value value, Place place);  ///< both as given

  bool is_table() const { return std::holds_alternative<Table>(value); }
  bool is_array() const { return std::holds_alternative<Array>(value); }
  bool is_text() const { return std::holds_alternative<std::string>(value); }
  const Node* find(std::string_view key) const;  ///< null if absent or not a table
  /// The same, to be changed.
  Node* find(std::string_view key);
  Node& set(std::string_view key, Node node);  ///< adds or replaces; makes this a table if empty
  std::string text() const;                    ///< the value as TOML-like text, for messages
};

/// Parses TOML text. Dates and times become text. Lines of at most 64 KiB, tables at most 64 deep.
/// @throws InputError with line and column.
TIDEWATT_API Node parse_toml(std::string_view text, const std::string& file);

/// Reads and parses a regular file of at most `max_bytes`. @throws InputError.
TIDEWATT_API Node parse_toml_file(const std::string& path, std::uint64_t max_bytes = 16u << 20);

/// `over` wins over `under`, table by table; lists of tables with a `name` are merged by name, other lists replaced.
TIDEWATT_API Node merge(Node under, const Node& over);

/// Applies `path=value` (`job.main.plan.tp=4`), the list items being found by their `name`.
/// The value is read as TOML; a bare word is text. A text where the path needs a table becomes
/// `{catalog = text}`. @throws InputError if the path's list item does not exist, or for `base` and `schema`, by which the file is
/// read before.
TIDEWATT_API void apply_set(Node& root, std::string_view assignment);

}  // namespace TIDEWATT_NAMESPACE
