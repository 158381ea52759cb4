// The scenario reference in words: units, ranges, headers, and the listing for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"
#include "scenario_reference.hpp"

namespace TIDEWATT_NAMESPACE::study {

using Kind = FieldEntry::Kind;

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The unit that a number's key ends with; beside the units with a scale, those that are counted or paid.
std::string unit_of(const FieldInfo& f) {
  for (const char* unit :
       {"USD_per_year", "USD_per_m3", "USD", "years", "bins"})  // before m3, which USD_per_m3 ends with
    if (f.key.ends_with(std::string("_") + unit)) return unit;
  if (!f.unit.empty()) return f.unit;
  if (f.key.starts_with("n_")) return "count";
  return "1";
}

}  // namespace

std::string ReferenceKey::unit() const {
  const std::string unit = unit_of(field.info);
  switch (field.kind) {
    case Kind::number:
      return unit;
    case Kind::integer:
      return "count";
    case Kind::flag:
      return "true or false";
    case Kind::text:
      return field.catalog_kind.empty() ? "text" : "name of a catalog " + field.catalog_kind;
    case Kind::choice:
      return "word";
    case Kind::numbers:
      return "list of " + (unit == "1" ? "numbers" : unit);
    case Kind::texts:
      return "list of texts";
    case Kind::table:
      return "table";
    case Kind::list:
      return "list of tables";
    case Kind::entry:
      return "name of a catalog " + field.catalog_kind + ", or table";
  }
  return {};
}

std::string ReferenceKey::range() const {
  if (field.kind == Kind::choice) return fmt::format("{}", fmt::join(field.options, " | "));
  const auto& r = field.info.range;
  if (std::isfinite(r.lo) && std::isfinite(r.hi)) return fmt::format("{} to {}", r.lo, r.hi);
  if (std::isfinite(r.lo)) return fmt::format("at least {}", r.lo);
  return std::isfinite(r.hi) ? fmt::format("at most {}", r.hi) : "";
}

std::vector<std::string> ReferenceTable::kinds() const {
  for (const auto& k : keys)
    if (k.field.kind == Kind::choice && (k.field.info.key == "kind" || k.field.info.key == "type"))
      return k.field.options;
  return {};
}

std::string ReferenceTable::header() const {
  if (path.empty()) return "top level";
  std::string name;
  for (const auto& part : split(path, '.'))
    if (part != "*") name += (name.empty() ? "" : ".") + part;
  if (by_name) return "[" + name + ".NAME]";
  return path.ends_with("*") ? "[[" + name + "]]" : "[" + name + "]";
}

std::string reference_text(const ScenarioReference& reference, const std::string& word) {
  const std::string sought = lower(word);
  const auto has = [&](const std::string& text) { return lower(text).find(sought) != std::string::npos; };
  /// Kinds lead to the keys that they use, and to the key that chooses one.
  const auto of_kind = [&](const ReferenceKey& k) {
    const bool chooses = k.field.kind == Kind::choice && (k.field.info.key == "kind" || k.field.info.key == "type");
    return std::ranges::any_of(k.kinds, has) || (chooses && std::ranges::any_of(k.field.options, has));
  };
  std::string out;
  for (const auto& t : reference.tables) {
    std::string keys;
    for (const auto& k : t.keys) {
      const std::string path = t.path.empty() ? k.field.info.key : t.path + "." + k.field.info.key;
      if (!has(path) && !of_kind(k)) continue;
      keys += fmt::format("  {:<32} {}; {}", k.field.info.key, k.field.info.doc, k.unit());
      if (const auto range = k.range(); !range.empty()) keys += ", " + range;
      if (!k.standard.empty())
        keys += "; default " + k.standard;
      else if (k.required)
        keys += "; required";
      if (!k.kinds.empty()) keys += fmt::format("; of {}", fmt::join(k.kinds, ", "));
      keys += "\n";
    }
    if (!keys.empty()) out += fmt::format("{}  {}\n{}", t.header(), t.doc, keys);
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
