#pragma once
// What the readers of a scenario's tables share. Private to sim.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "base/field_log.hpp"
#include "base/name.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

inline std::string below(const std::string& path, const char* key) { return path.empty() ? key : path + "." + key; }

/// An entry that could not be resolved is one finding, not one per missing section.
inline bool found(const Node& entry) { return !entry.is_table() || !std::get<Node::Table>(entry.value).empty(); }

/// Reads one scenario: findings, assumed inputs and the catalog at hand.
struct Reading {
  const catalog::Catalog& catalog;
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  std::vector<catalog::AssumedInput> of_brake{};  ///< that only a power brake uses
  FieldLog* log = nullptr;                        ///< records every key that is read; null: none
  std::vector<std::string> consequences{};        ///< keys whose default hangs on a value that is itself a finding

  /// A strict reader of one table.
  TableReader table(const Node& node, const std::string& path) { return {node, path, findings, log}; }
  template <class Params>
  void read(const Node& node, const std::string& path, Params& params) {
    if (!found(node) && !findings.empty()) return;
    TableReader r = table(node, path);
    params.fields(r);
    r.finish();
  }
  /// The catalog entry of this kind that `key` names, with its overrides.
  Node entry(TableReader& r, const char* key, const char* kind, const char* doc) {
    const Node* spec = r.entry(key, kind, Need::required, doc);
    return spec ? catalog.resolve(*spec, kind, below(r.path(), key), findings, assumed) : Node{Node::Table{}, {}};
  }
  /// As `entry`, for a key that may be left out. @return whether it is there
  std::optional<Node> optional_entry(TableReader& r, const char* key, const char* kind, const char* doc) {
    const Node* spec = r.entry(key, kind, Need::optional, doc);
    if (!spec) return std::nullopt;
    return catalog.resolve(*spec, kind, below(r.path(), key), findings, assumed);
  }
  template <class Params>
  void section(TableReader& r, const char* key, Params& params, const char* doc) {
    const Node* n = r.child(key, Need::required, doc);
    if (n) read(*n, below(r.path(), key), params);
  }
};

/// The name of a list's item in key paths; its number, counted from 1, where it has no valid name.
inline std::string name_of(const Node& item, std::size_t i) {
  const Node* name = item.find("name");
  const auto* text = name != nullptr ? std::get_if<std::string>(&name->value) : nullptr;
  return text != nullptr && is_name(*text) ? *text : fmt::format("{}", i + 1);
}

template <class Visit>
void each(Reading& reading, TableReader& r, const char* key, bool required, const char* doc, Visit&& visit) {
  const Node* list = r.list(key, required ? Need::required : Need::optional, doc);
  if (!list) return;
  if (!list->is_array()) return r.report(list, key, fmt::format("expected a list of tables [[{}]]", key));
  const auto& items = std::get<Node::Array>(list->value);
  const std::string list_path = below(r.path(), key);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string name = name_of(items[i], i);
    for (const auto& other : names)
      if (other == name)
        reading.findings.push_back({items[i].place, fmt::format("{}.{}", list_path, name), "two items have this name"});
    names.push_back(name);
    if (const Node* given = items[i].find("name"))
      check_name(*given, fmt::format("{}.{}.name", list_path, name), reading.findings);
    visit(items[i], fmt::format("{}.{}", key, name));
  }
}

/// One [[site.neighbour]].
void read_neighbour(Reading& reading, const Node& node, const std::string& path, const LoadOptions& options,
                    Scenario& s);

/// Places findings that name a key but no line of their own (checks across tables) at that key, or at the nearest table
/// around it that `root` has.
void place_findings(const Node& root, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::sim
