#include "scenario_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "grid/rule_book.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Kind = FieldEntry::Kind;

bool is_structure(Kind kind) { return kind == Kind::table || kind == Kind::list || kind == Kind::entry; }

/// Keys that name a catalog entry as plain text, and tables that take one by a key `catalog` of their own.
const std::map<std::string, std::string> named_entries = {{"weather.climate", "climate"}, {"grid.case", "grid_case"}};
const std::map<std::string, std::vector<std::string>> mixed_tables = {
    {"mitigation.*", {"storage", "ballast", "gpu_smoothing"}}};

/// Examples of keys that reference scenarios cannot have, or that are resolved before reading.
const std::map<std::string, std::string> file_examples = {
    {"weather.epw", "\"weather/site.epw\""},
    {"weather.csv", "\"weather/site.csv\""},
    {"base", "\"llama3_405b_day\""},
    {"mitigation.*.catalog", "\"site_battery_10MW\""},
    {"site.rules.rule.*.limit_MW", "10"},
    {"site.rules.rule.*.limit_MW_per_min", "300"},
    {"site.rules.rule.*.limit_pu", "0.05"},
    {"site.rules.rule.*.limit_Hz", "0.2"},
    {"site.rules.jurisdiction", "\"ERCOT, Texas\""},
    {"site.rules.document", "\"NOGRR282\""},
    {"site.rules.tag", "\"R\""},
    {"site.rules.note", "\"the measurement window was not stated\""},
    {"site.rules.status", "\"in force\""}};

/// Keys of which a scenario gives one or the other.
const std::map<std::string, std::string> alternatives = {
    {"job.*.plan.global_batch_sequences", "replica_batch_sequences"}};

std::string joined(const std::string& table, const std::string& key) { return table.empty() ? key : table + "." + key; }

/// Where values of a table come from that no catalog entry gives.
std::string usual_source(bool required) { return required ? "your own case" : "default of the program"; }

class Builder {
 public:
  void read(const std::string& text, const std::string& file) {
    const Node root = parse_toml(text, file);
    FieldLog log;
    try {
      const auto s = sim::read_scenario(root, ".", {}, &log);
      if (root.find("schema") == nullptr) {  // the shortest one: keys that it leaves out have defaults
        for (const auto& d : s.defaults) defaults_[log.pattern(d.key)] = d;
        hold(root, "", log);
      }
    } catch (const InputError&) {
      // Its files (recordings) are elsewhere; every key is read all the same.
    }
    if (const Node* site = root.find("site")) rule_sets(site->find("rules"), log);
    for (const auto& e : log.entries()) add(e);
    for (const char* list : {"event", "mitigation"}) examples(root.find(list), std::string(list) + ".*", list);
    if (const Node* site = root.find("site")) examples(site->find("neighbour"), "site.neighbour.*", "site.neighbour");
  }

  ScenarioReference take() {
    for (auto& t : out_.tables) {
      for (auto& k : t.keys) complete(t, k);
      describe(t);
    }
    return std::move(out_);
  }

 private:
  ReferenceTable& table(const std::string& path) {
    for (auto& t : out_.tables)
      if (t.path == path) return t;
    return out_.tables.emplace_back(ReferenceTable{path, {}, {}, {}, false});
  }

  /// Notes the tables that even the shortest scenario has.
  void hold(const Node& node, const std::string& path, const FieldLog& log) {
    if (node.is_table())
      for (const auto& [key, v] : std::get<Node::Table>(node.value)) hold(v, joined(path, key), log);
    else if (node.is_array())
      for (const auto& item : std::get<Node::Array>(node.value)) hold(item, joined(path, "*"), log);
    if (node.is_table() || node.is_array()) held_.push_back(log.pattern(path));
  }

  /// The keys of the rule sets that a scenario names, which the scenario's own reader does not log.
  void rule_sets(const Node* names, FieldLog& log) {
    if (names == nullptr || !names->is_array()) return;
    std::vector<Finding> findings;  // of the scenario's reader, which has read them before
    for (const auto& name : std::get<Node::Array>(names->value))
      if (name.is_text())
        grid::read_rule_book(catalog_.values("rules", std::get<std::string>(name.value)), "", "site.rules", findings,
                             &log);
  }

  void add(const FieldEntry& e) {
    auto& keys = table(e.table).keys;
    auto at = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.field.info.key == e.info.key; });
    if (at == keys.end()) at = keys.insert(keys.end(), ReferenceKey{e, {}, {}, {}, {}, false});
    if (at->example.empty() && !is_structure(e.kind)) at->example = e.example;
    if (!e.variant.empty() && std::find(at->kinds.begin(), at->kinds.end(), e.variant) == at->kinds.end())
      at->kinds.push_back(e.variant);
  }

  void examples(const Node* list, const std::string& path, const std::string& header) {
    if (list == nullptr || !list->is_array()) return;
    for (const auto& item : std::get<Node::Array>(list->value)) {
      const Node* kind = item.find("kind");
      std::string text = fmt::format("[[{}]]\n", header), below;
      for (const auto* member : as_written(item)) {
        const auto& [key, v] = *member;
        if (!v.is_table()) {
          text += fmt::format("{} = {}\n", key, value_text(v));
          continue;
        }
        below += fmt::format("\n[{}.{}]\n", header, key);
        for (const auto* x : as_written(v)) below += fmt::format("{} = {}\n", x->first, value_text(x->second));
      }
      if (kind != nullptr) out_.examples.push_back({path, std::get<std::string>(kind->value), text + below});
    }
  }

  /// Members of a table in the order of the file, which the parser does not keep.
  static std::vector<const Node::Table::value_type*> as_written(const Node& table) {
    std::vector<const Node::Table::value_type*> out;
    for (const auto& member : std::get<Node::Table>(table.value)) out.push_back(&member);
    std::stable_sort(out.begin(), out.end(),
                     [](const auto* a, const auto* b) { return a->second.place.line < b->second.place.line; });
    return out;
  }

  static std::string value_text(const Node& n) {
    if (!n.is_array()) return toml_value(n);
    std::string out;
    for (const auto& item : std::get<Node::Array>(n.value)) out += (out.empty() ? "" : ", ") + toml_value(item);
    return "[" + out + "]";
  }

  /// The catalog kinds whose entries have a table's values, and the table's path within them.
  std::pair<std::vector<std::string>, std::string> entry_of(const std::string& path) {
    if (const auto mixed = mixed_tables.find(path); mixed != mixed_tables.end()) return {mixed->second, ""};
    for (std::string at = path;;) {
      const auto dot = at.rfind('.');
      const std::string above = dot == std::string::npos ? "" : at.substr(0, dot),
                        key = at.substr(dot == std::string::npos ? 0 : dot + 1);
      if (const auto* t = out_.find(above))
        for (const auto& k : t->keys)
          if (k.field.info.key == key && k.field.kind == Kind::entry)
            return {{k.field.catalog_kind}, path.size() > at.size() ? path.substr(at.size() + 1) : ""};
      if (dot == std::string::npos) return {};
      at = above;
    }
  }

  /// The first catalog entry of these kinds that has a key: its value and source.
  bool from_catalog(const std::vector<std::string>& kinds, const std::string& key, ReferenceKey& k) {
    for (const auto& [kind, name] : catalog_.list()) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
      const Node entry = parse_toml(catalog_.text(kind, name), name);
      const Node* value = &entry;
      for (const auto& part : split(key, '.'))
        if (value != nullptr) value = value->find(part);
      if (value == nullptr) continue;
      const Node* sources = entry.find("sources");
      const Node* source = sources != nullptr ? sources->find(key) : nullptr;
      if (k.example.empty() && !value->is_table()) k.example = value_text(*value);
      k.source = fmt::format("catalog {}/{}{}", kind, name,
                             source != nullptr && source->is_text() ? ": " + std::get<std::string>(source->value) : "");
      return true;
    }
    return false;
  }

  void complete(const ReferenceTable& t, ReferenceKey& k) {
    const std::string path = joined(t.path, k.field.info.key);
    const auto& f = k.field.info;
    const auto [kinds, inner] = entry_of(t.path);
    if (const auto named = named_entries.find(path); named != named_entries.end()) k.field.catalog_kind = named->second;
    if (const auto file = file_examples.find(path); file != file_examples.end()) k.example = file->second;
    const auto given = defaults_.find(path);
    const bool held = std::find(held_.begin(), held_.end(), path) != held_.end();
    const bool filled = !held && std::any_of(defaults_.begin(), defaults_.end(),
                                             [&](const auto& d) { return d.first.starts_with(path + "."); });
    const auto other = alternatives.find(path);
    k.required = f.required && kinds.empty() && given == defaults_.end() && !filled && other == alternatives.end();
    if (other != alternatives.end()) k.field.info.doc += "; in the place of " + other->second;
    if (given != defaults_.end()) {
      k.standard = given->second.value;
      k.source = given->second.source;
    } else if (!f.required && !is_structure(k.field.kind)) {
      k.standard = f.value == "nan" ? "" : f.value;  // not a number: left out
      if (k.field.kind == Kind::text || k.field.kind == Kind::choice)
        k.standard = f.value.empty() ? "" : toml_value(std::string_view(f.value));
    }
    if (!kinds.empty() && !is_structure(k.field.kind)) from_catalog(kinds, joined(inner, f.key), k);
    if (k.source.empty()) k.source = usual_source(f.required);
    if (k.example.empty() && !is_structure(k.field.kind)) k.example = k.standard;
    if (k.field.kind == Kind::entry && k.example.empty()) k.example = k.field.example;
    const auto all = t.kinds();
    if (k.kinds.size() == all.size()) k.kinds.clear();
  }

  /// A table's description is that of its key.
  void describe(ReferenceTable& t) {
    std::string path = t.path;
    if (path.ends_with(".*")) path.resize(path.size() - 2);
    const auto dot = path.rfind('.');
    const auto* above = out_.find(dot == std::string::npos ? "" : path.substr(0, dot));
    const std::string key = path.substr(dot == std::string::npos ? 0 : dot + 1);
    if (above != nullptr && !t.path.empty())
      for (const auto& k : above->keys)
        if (k.field.info.key == key) {
          t.doc = k.field.info.doc;
          t.by_name = t.path.ends_with(".*") && k.field.kind == Kind::table;
          t.catalog_kind = k.field.catalog_kind;
        }
    if (t.path.empty()) t.doc = "the scenario";
  }

  ScenarioReference out_;
  std::map<std::string, sim::DefaultInput> defaults_;  ///< by pattern
  std::vector<std::string> held_;                      ///< patterns of tables that the shortest scenario has
  catalog::Catalog catalog_;
};

}  // namespace

const ReferenceTable* ScenarioReference::find(const std::string& path) const {
  const auto at = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.path == path; });
  return at == tables.end() ? nullptr : &*at;
}

ScenarioReference scenario_reference() {
  Builder builder;
  for (const auto& file : embedded::scenario_files())
    if (file.path.starts_with("reference/")) builder.read(std::string(file.text), std::string(file.path));
  return builder.take();
}

}  // namespace TIDEWATT_NAMESPACE::study
