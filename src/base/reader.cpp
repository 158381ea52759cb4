#include "tidewatt/base/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "field_log.hpp"
#include "text.hpp"
#include "units.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

std::string range_text(Range r, std::string_view key) {
  const auto unit = unit_of_key(key);
  return fmt::format("{} to {}{}{}", r.lo, r.hi, unit ? " " : "", unit ? unit->suffix : "");
}

/// Suggestion for a text with a quantity: "600 W" under a key in W is 600, "0.6 kW" too. Empty for other values.
std::string quantity_hint(const Node& n, std::string_view key) {
  const auto* text = std::get_if<std::string>(&n.value);
  if (text == nullptr) return {};
  const std::string_view all = trim(*text);
  const auto end = all.find_first_not_of("+-0123456789.eE");
  double x = 0.0;
  const std::string_view digits = trim(all.substr(0, end)),
                         word = end == std::string_view::npos ? "" : trim(all.substr(end));
  if (!parse_number(digits, x)) return {};
  if (word.empty()) return fmt::format("; write {} without quotes", x);
  const auto unit = unit_of_key(key), given = unit_of_key(fmt::format("x_{}", word));
  if (!unit) return fmt::format("; write {}: this key has no unit", x);
  if (unit->suffix == word) return fmt::format("; write {}: the unit is in the key", x);
  if (!given || given->si != unit->si) return fmt::format("; write a plain number: the key's unit is {}", unit->suffix);
  return fmt::format("; write {:.12g}: the key's unit is {}",
                     (x * given->scale + given->offset - unit->offset) / unit->scale, unit->suffix);
}

/// A whole number, also where it is written as 1024.0: tables of numbers come so from other programs.
std::optional<std::int64_t> whole_number(const Node& n) {
  if (const auto* i = std::get_if<std::int64_t>(&n.value)) return *i;
  const auto* d = std::get_if<double>(&n.value);
  constexpr double exact = 9007199254740992.0;  // 2^53
  return d != nullptr && *d == std::floor(*d) && std::abs(*d) <= exact ? std::optional(static_cast<std::int64_t>(*d))
                                                                       : std::nullopt;
}

/// The known key that differs from `key` in its unit suffix only; of several, one of the same quantity (SI unit), then the
/// nearest. Empty if there is none.
std::string with_other_unit(std::string_view key, const std::vector<std::string>& known) {
  const auto unit = unit_of_key(key);
  if (!unit) return {};
  std::vector<std::string> same_stem, same_quantity;
  for (const auto& k : known) {
    const auto other = unit_of_key(k);
    if (!other || stem_of_key(k) != stem_of_key(key)) continue;
    same_stem.push_back(k);
    if (other->si == unit->si) same_quantity.push_back(k);
  }
  const auto& choice = same_quantity.empty() ? same_stem : same_quantity;
  const std::string close = nearest(key, choice);
  return close.empty() && !choice.empty() ? choice.front() : close;
}

using Kind = FieldEntry::Kind;

/// A key as the field lister puts it: unit, default and range.
template <class Ask>
FieldEntry asked(Kind kind, Ask&& ask) {
  detail::FieldLister lister;
  ask(lister);
  FieldEntry e;
  e.info = std::move(lister.out.front());
  e.kind = kind;
  return e;
}

/// A key whose value the caller reads by itself.
FieldEntry asked(Kind kind, std::string_view key, Need need, std::string_view doc) {
  FieldEntry e;
  e.info.key = key;
  e.info.doc = doc;
  e.info.required = need == Need::required;
  e.kind = kind;
  return e;
}

/// A value as TOML; tables are left out.
std::string toml_text(const Node& n) {
  const auto* items = std::get_if<Node::Array>(&n.value);
  if (items == nullptr) return n.is_table() ? "" : n.text();
  std::string out;
  for (const auto& item : *items) out += (out.empty() ? "" : ", ") + toml_text(item);
  return "[" + out + "]";
}

}  // namespace

TableReader::TableReader(const Node& node, std::string path, std::vector<Finding>& findings, FieldLog* log)
    : node_(node), path_(std::move(path)), findings_(findings), log_(log) {
  if (!node_.is_table()) report(&node_, "", fmt::format("expected a table, found {}", node_.text()));
}

void TableReader::report(const Node* at, std::string_view key, std::string message) {
  std::string full = path_;
  if (!key.empty()) full += (full.empty() ? "" : ".") + std::string(key);
  findings_.push_back({at ? at->place : node_.place, std::move(full), std::move(message)});
}

void TableReader::note(FieldEntry entry) {
  if (log_ == nullptr) return;
  entry.variant = variant_;
  if (const Node* n = node_.find(entry.info.key)) entry.example = toml_text(*n);
  log_->add(path_, std::move(entry));
}

const Node* TableReader::take(std::string_view key, Need need, std::string_view doc, Range range) {
  known_.emplace_back(key);
  const Node* n = node_.find(key);
  if (!n && need == Need::required && node_.is_table()) {
    std::string allowed = std::isfinite(range.lo) || std::isfinite(range.hi) ? ", " + range_text(range, key) : "";
    report(nullptr, key, fmt::format("missing ({}{})", doc, allowed));
  }
  return n;
}

bool TableReader::read_number(const Node& n, std::string_view key, double& out, Range range) {
  double edge = 0.0;
  if (const auto* d = std::get_if<double>(&n.value))
    edge = *d;
  else if (const auto* i = std::get_if<std::int64_t>(&n.value))
    edge = static_cast<double>(*i);
  else
    return report(&n, key, fmt::format("{} is not a number{}", n.text(), quantity_hint(n, key))), false;
  if (!std::isfinite(edge) || edge < range.lo || edge > range.hi)
    return report(&n, key, fmt::format("{} is outside {}", n.text(), range_text(range, key))), false;
  const auto unit = unit_of_key(key);
  out = unit ? edge * unit->scale + unit->offset : edge;
  return true;
}

void TableReader::number(std::string_view key, double& si, Range range, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::number, [&](FieldVisitor& v) { v.number(key, si, range, doc, need); }));
  if (const Node* n = take(key, need, doc, range)) read_number(*n, key, si, range);
}

void TableReader::integer(std::string_view key, std::int64_t& value, Range range, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::integer, [&](FieldVisitor& v) { v.integer(key, value, range, doc, need); }));
  const Node* n = take(key, need, doc, range);
  if (!n) return;
  const auto whole = whole_number(*n);
  if (!whole) return report(n, key, fmt::format("{} is not a whole number{}", n->text(), quantity_hint(*n, key)));
  if (static_cast<double>(*whole) < range.lo || static_cast<double>(*whole) > range.hi)
    return report(n, key, fmt::format("{} is outside {}", *whole, range_text(range, key)));
  value = *whole;
}

void TableReader::flag(std::string_view key, bool& value, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::flag, [&](FieldVisitor& v) { v.flag(key, value, doc, need); }));
  const Node* n = take(key, need, doc, {});
  if (!n) return;
  if (const auto* b = std::get_if<bool>(&n->value))
    value = *b;
  else
    report(n, key, fmt::format("{} is not true or false", n->text()));
}

void TableReader::text(std::string_view key, std::string& value, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::text, [&](FieldVisitor& v) { v.text(key, value, doc, need); }));
  const Node* n = take(key, need, doc, {});
  if (!n) return;
  if (n->is_text())
    value = std::get<std::string>(n->value);
  else
    report(n, key, fmt::format("{} is not text", n->text()));
}

void TableReader::choice(std::string_view key, std::string& value, std::span<const std::string_view> options,
                         std::string_view doc, Need need) {
  if (log_) {
    auto e = asked(Kind::choice, [&](FieldVisitor& v) { v.text(key, value, doc, need); });
    if (need == Need::required) e.info.value.clear();  // required keys have no default to show
    e.options.assign(options.begin(), options.end());
    note(std::move(e));
  }
  const Node* n = take(key, need, doc, {});
  if (!n) return;
  const auto* s = std::get_if<std::string>(&n->value);
  if (s && std::find(options.begin(), options.end(), *s) != options.end()) {
    value = *s;
    if (key == "kind" || key == "type") variant_ = *s;
    return;
  }
  std::vector<std::string> known(options.begin(), options.end());
  const std::string close = s ? nearest(*s, known) : "";
  report(n, key,
         fmt::format("{} is not one of: {}{}", n->text(), fmt::join(options, ", "),
                     close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
}

void TableReader::numbers(std::string_view key, std::vector<double>& si, Range range, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::numbers, [&](FieldVisitor& v) { v.numbers(key, si, range, doc, need); }));
  const Node* n = take(key, need, doc, range);
  if (!n) return;
  if (!n->is_array()) return report(n, key, fmt::format("{} is not a list of numbers", n->text()));
  std::vector<double> out;
  for (const auto& item : std::get<Node::Array>(n->value)) {
    double x = 0.0;
    if (read_number(item, key, x, range)) out.push_back(x);
  }
  si = std::move(out);
}

void TableReader::texts(std::string_view key, std::vector<std::string>& values, std::string_view doc, Need need) {
  if (log_) note(asked(Kind::texts, [&](FieldVisitor& v) { v.texts(key, values, doc, need); }));
  const Node* n = take(key, need, doc, {});
  if (!n) return;
  if (!n->is_array()) return report(n, key, fmt::format("{} is not a list of texts", n->text()));
  std::vector<std::string> out;
  for (const auto& item : std::get<Node::Array>(n->value)) {
    if (item.is_text())
      out.push_back(std::get<std::string>(item.value));
    else
      report(&item, key, fmt::format("{} is not text", item.text()));
  }
  values = std::move(out);
}

const Node* TableReader::child(std::string_view key, Need need, std::string_view doc) {
  if (log_) note(asked(Kind::table, key, need, doc));
  return take(key, need, doc, {});
}

const Node* TableReader::list(std::string_view key, Need need, std::string_view doc) {
  if (log_) note(asked(Kind::list, key, need, doc));
  if (log_) log_->list(path_.empty() ? std::string(key) : fmt::format("{}.{}", log_->pattern(path_), key));
  return take(key, need, doc, {});
}

const Node* TableReader::entry(std::string_view key, std::string_view catalog_kind, Need need, std::string_view doc) {
  if (log_) {
    auto e = asked(Kind::entry, key, need, doc);
    e.catalog_kind = catalog_kind;
    note(std::move(e));
  }
  return take(key, need, doc, {});
}

void TableReader::finish() {
  const auto* table = std::get_if<Node::Table>(&node_.value);
  if (!table) return;
  constexpr int most_hints = 100;  // more are not read, and each costs an edit distance to every known key
  int n_unknown = 0;
  for (const auto& [key, n] : *table) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (++n_unknown > most_hints) {
      report(&n, key, "unknown key");
      continue;
    }
    if (const std::string same = with_other_unit(key, known_); !same.empty()) {
      report(&n, key, fmt::format("wrong unit suffix: this key is written '{}'", same));
      continue;
    }
    const std::string close = nearest(key, known_);
    report(&n, key, close.empty() ? "unknown key" : fmt::format("unknown key (did you mean '{}'?)", close));
  }
}

}  // namespace TIDEWATT_NAMESPACE
