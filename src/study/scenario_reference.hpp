#pragma once
#include <string>
#include <vector>

#include "base/field_log.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One key of the scenario format.
struct ReferenceKey {
  FieldEntry field;                ///< key, unit, range, sentence, kind of value, words of a choice
  std::vector<std::string> kinds;  ///< words of the table's `kind` or `type` that it belongs to, [n]; empty: all
  std::string standard;            ///< value where the key is left out, as TOML; empty: it must be given, or is absent
  std::string example;             ///< a value, as TOML; empty for tables
  std::string source;              ///< where the default or the catalog's value comes from
  bool required = false;           ///< without a default and without a catalog entry that gives it

  /// The value's unit or type: "W", "count", "true or false", "text", …
  std::string unit() const;
  /// Allowed values in words: "0 to 5000", "a | b"; empty: any.
  std::string range() const;
};

/// One table of the scenario format.
struct ReferenceTable {
  std::string path;          ///< "hall.*.gpu.power", items of lists as `*`; empty: the top level
  std::string doc;           ///< one sentence
  std::string catalog_kind;  ///< catalog entries that give its values; empty: none
  std::vector<ReferenceKey> keys;
  bool by_name = false;  ///< of a path that ends in `*`: tables with names of their own, [rule.NAME], instead of a list
  /// Words of the key `kind` or `type`, [n]; empty where the table has none.
  std::vector<std::string> kinds() const;
  /// The table as a scenario writes it: "[job.plan]", "[[event]]".
  std::string header() const;
};

/// An example of a list's item, as TOML.
struct ReferenceExample {
  std::string path;  ///< "event.*"
  std::string kind;  ///< word of its `kind`
  std::string text;
};

/// The scenario format, taken down from the reader itself while it reads `scenarios/reference`: schema, reference pages and
/// the keys of `--set` come from here.
struct ScenarioReference {
  std::vector<ReferenceTable> tables;
  std::vector<ReferenceExample> examples;
  const ReferenceTable* find(const std::string& path) const;  ///< null if there is none
};

/// Reads the reference scenarios. @throws InputError if one is not valid TOML
ScenarioReference scenario_reference();

/// Keys whose path or kind contains `word` in any case, as text for a terminal; all keys for an empty word.
std::string reference_text(const ScenarioReference& reference, const std::string& word);

}  // namespace TIDEWATT_NAMESPACE::study
