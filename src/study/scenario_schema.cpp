#include "scenario_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;
using Kind = FieldEntry::Kind;

/// A number without a fraction as a whole one: the schema is read by people, too.
Json number(double x) {
  if (std::abs(x) < 9e15 && x == std::floor(x)) return static_cast<std::int64_t>(x);
  return x;
}

Json bounded(const char* type, const Range& r) {
  Json out{{"type", type}};
  if (std::isfinite(r.lo)) out["minimum"] = number(r.lo);
  if (std::isfinite(r.hi)) out["maximum"] = number(r.hi);
  return out;
}

class Writer {
 public:
  explicit Writer(const ScenarioReference& reference) : ref_(reference) {}

  Json root() {
    Json out{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "tidewatt scenario"}};
    out.update(table(""));
    // What a scenario must have, unless it inherits it.
    out["if"] = {{"not", {{"required", {"base"}}}}};
    out["then"] = needs("");
    return out;
  }

 private:
  static std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  Json names(const std::string& kind) const {
    Json out = Json::array();
    for (const auto& [k, name] : catalog_.list())
      if (k == kind) out.push_back(name);
    return out;
  }

  /// A table's keys; others are refused.
  Json table(const std::string& path, const std::string& catalog_kind = "") {
    Json out{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
    if (!catalog_kind.empty())
      out["properties"]["catalog"] = {{"type", "string"},
                                      {"description", "catalog entry whose values the keys beside it override"},
                                      {"examples", names(catalog_kind)}};
    const auto* t = ref_.find(path);
    if (t == nullptr) return {{"type", "object"}};
    for (const auto& k : t->keys) out["properties"][k.field.info.key] = value(path, k);
    if (const auto kinds = t->kinds(); !kinds.empty()) out["allOf"] = per_kind(*t, kinds, catalog_kind);
    return out;
  }

  /// Which keys belong to which `kind`.
  static Json per_kind(const ReferenceTable& t, const std::vector<std::string>& kinds,
                       const std::string& catalog_kind) {
    Json out = Json::array();
    std::string chosen = "kind";
    for (const auto& k : t.keys)
      if (k.field.info.key == "type" && k.field.kind == Kind::choice) chosen = "type";
    for (const auto& kind : kinds) {
      Json keys = Json::array();
      if (!catalog_kind.empty()) keys.push_back("catalog");
      for (const auto& k : t.keys)
        if (k.kinds.empty() || std::find(k.kinds.begin(), k.kinds.end(), kind) != k.kinds.end())
          keys.push_back(k.field.info.key);
      out.push_back({{"if", {{"properties", {{chosen, {{"const", kind}}}}}, {"required", {chosen}}}},
                     {"then", {{"propertyNames", {{"enum", keys}}}}}});
    }
    return out;
  }

  Json value(const std::string& path, const ReferenceKey& k) {
    Json out = bare(path, k);
    std::string text = k.field.info.doc + "; " + k.unit();
    if (!k.kinds.empty()) text += fmt::format("; of {}", fmt::join(k.kinds, ", "));
    if (!k.standard.empty()) text += "; default " + k.standard;
    out["description"] = text;
    return out;
  }

  Json bare(const std::string& path, const ReferenceKey& k) {
    const auto& f = k.field;
    const std::string here = below(path, f.info.key);
    switch (f.kind) {
      case Kind::number:
        return bounded("number", f.info.range);
      case Kind::integer: {
        Json whole = bounded("integer", f.info.range);
        if (here == "job.*.plan.n_gpu") return {{"anyOf", {whole, {{"const", "all"}}}}};
        return whole;
      }
      case Kind::flag:
        return {{"type", "boolean"}};
      case Kind::text: {
        Json text{{"type", "string"}};
        if (!f.catalog_kind.empty()) text["examples"] = names(f.catalog_kind);
        return text;
      }
      case Kind::choice:
        return {{"enum", f.options}};
      case Kind::numbers:
        return {{"type", "array"}, {"items", bounded("number", f.info.range)}};
      case Kind::texts:
        return {{"type", "array"}, {"items", {{"type", "string"}}}};
      case Kind::table:
        if (ref_.find(here) == nullptr && ref_.find(here + ".*") != nullptr)
          return {{"type", "object"}, {"additionalProperties", table(here + ".*")}};
        return table(here);
      case Kind::list:
        return {{"type", "array"}, {"items", table(here + ".*")}};
      case Kind::entry:
        return entry(here, f.catalog_kind);
    }
    return {};
  }

  /// A catalog name, or a table that overrides an entry or is complete.
  Json entry(const std::string& here, const std::string& kind) {
    const Json name{{"type", "string"}, {"examples", names(kind)}};
    Json any = Json::array({name, table(here, kind)});
    if (kind == "rules") any.push_back({{"type", "array"}, {"items", {{"anyOf", {name, {{"type", "object"}}}}}}});
    return {{"anyOf", any}};
  }

  /// The keys that a table must have, and those of its tables; an empty object if there are none.
  Json needs(const std::string& path) {
    Json out = Json::object();
    const auto* t = ref_.find(path);
    if (t == nullptr) return out;
    for (const auto& k : t->keys) {
      const std::string here = below(path, k.field.info.key);
      const bool common = k.kinds.empty();
      if (k.required && common && !(here == "hall.*.name" || here == "job.*.name"))
        out["required"].push_back(k.field.info.key);
      Json inner;
      if (k.field.kind == Kind::table) inner = needs(here);
      if (k.field.kind == Kind::list)
        if (Json item = needs(here + ".*"); !item.empty()) inner["items"] = item;
      if (!inner.empty()) out["properties"][k.field.info.key] = inner;
    }
    return out;
  }

  const ScenarioReference& ref_;
  catalog::Catalog catalog_;
};

}  // namespace

std::string scenario_schema(const ScenarioReference& reference) { return Writer(reference).root().dump(1) + "\n"; }

}  // namespace TIDEWATT_NAMESPACE::study
