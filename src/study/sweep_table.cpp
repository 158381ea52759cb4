#include "tidewatt/study/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/text.hpp"

namespace tidewatt::study {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
using Figures = std::vector<std::pair<std::string, sim::Value>>;

/// Lists of pairs taken apart.
Figures flat(const Figures& figures) {
  Figures out;
  for (const auto& [key, value] : figures) {
    if (const auto* pairs = std::get_if<std::vector<std::pair<std::string, double>>>(&value))
      for (const auto& [word, x] : *pairs) out.emplace_back(key + "." + word, x);
    else
      out.emplace_back(key, value);
  }
  return out;
}

/// Numbers if every cell is a number or absent, whole ones if all are there and whole, else text.
Column column_of(std::string name, const std::vector<sim::Value>& cells) {
  bool text = false, whole = true;
  for (const auto& c : cells) {
    text |= std::holds_alternative<std::string>(c);
    whole &= std::holds_alternative<std::int64_t>(c);
  }
  Column column{std::move(name), {}};
  if (text) {
    std::vector<std::string> v;
    for (const auto& c : cells) v.push_back(std::holds_alternative<std::string>(c) ? std::get<std::string>(c) : "");
    column.values = std::move(v);
  } else if (whole) {
    std::vector<std::int64_t> v;
    for (const auto& c : cells) v.push_back(std::get<std::int64_t>(c));
    column.values = std::move(v);
  } else {
    std::vector<double> v;
    for (const auto& c : cells) {
      const auto* d = std::get_if<double>(&c);
      const auto* i = std::get_if<std::int64_t>(&c);
      v.push_back(d ? *d : i ? static_cast<double>(*i) : nothing);
    }
    column.values = std::move(v);
  }
  return column;
}

/// A varied value as it was set: a number, or text without its quotes.
sim::Value cell_of(const std::string& toml) {
  if (toml.empty()) return {};
  double x = 0.0;
  if (toml.find_first_of(".eE") == std::string::npos) {
    std::int64_t i = 0;
    const auto [end, status] = std::from_chars(toml.data(), toml.data() + toml.size(), i);
    if (status == std::errc() && end == toml.data() + toml.size()) return i;
  }
  if (parse_number(toml, x)) return x;
  if (toml.size() >= 2 && toml.front() == '"' && toml.back() == '"') return toml.substr(1, toml.size() - 2);
  return toml;
}

std::string shortest(double x) {
  if (!std::isfinite(x)) return "";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end.ptr};
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

const Column* SweepTable::find(const std::string& name) const {
  for (const auto& c : columns)
    if (c.name == name) return &c;
  return nullptr;
}

std::vector<double> SweepTable::numbers(const std::string& name) const {
  const Column* c = find(name);
  if (c)
    if (const auto* d = std::get_if<std::vector<double>>(&c->values)) return *d;
  if (c)
    if (const auto* i = std::get_if<std::vector<std::int64_t>>(&c->values)) return {i->begin(), i->end()};
  std::vector<std::string> known;
  for (const auto& other : columns) known.push_back(other.name);
  const std::string close = nearest(name, known);
  throw InputError(fmt::format("'{}' is no figure of the sweep's table{}", name, close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
}

SweepTable make_table(const CaseList& list, const std::map<std::size_t, CaseRecord>& finished) {
  SweepTable table;
  table.n_row = list.size();
  std::vector<Figures> rows;
  std::vector<std::string> names;
  std::map<std::string, std::size_t> place;
  std::vector<sim::Value> number, status, error;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto at = finished.find(list.same_as[i]);
    if (at == finished.end()) throw InputError(fmt::format("case {} is not finished", list.same_as[i]));
    rows.push_back(flat(at->second.figures));
    for (const auto& [key, value] : rows.back())
      if (place.try_emplace(key, names.size()).second) names.push_back(key);
    number.emplace_back(static_cast<std::int64_t>(i));
    status.emplace_back(std::string(at->second.failed() ? "failed" : "ok"));
    error.emplace_back(at->second.failed() ? at->second.error_kind + ": " + at->second.error : std::string());
  }
  for (std::size_t d = 0; d < list.names.size(); ++d) {
    std::vector<sim::Value> cells;
    for (const auto& row : list.values) cells.push_back(cell_of(row[d]));
    table.columns.push_back(column_of(list.names[d], cells));
  }
  table.columns.push_back(column_of("case", number));
  table.columns.push_back(column_of("status", status));
  table.columns.push_back(column_of("error", error));
  std::vector<std::vector<sim::Value>> cells(names.size(), std::vector<sim::Value>(list.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (auto& [key, value] : rows[i]) cells[place[key]][i] = std::move(value);
  for (std::size_t c = 0; c < names.size(); ++c) table.columns.push_back(column_of(names[c], cells[c]));
  return table;
}

std::string to_csv(const SweepTable& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) out += (c ? "," : "") + csv_text(table.columns[c].name);
  out += "\r\n";
  for (std::size_t i = 0; i < table.n_row; ++i) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c) out += ',';
      const auto& v = table.columns[c].values;
      if (const auto* d = std::get_if<std::vector<double>>(&v)) out += shortest((*d)[i]);
      if (const auto* n = std::get_if<std::vector<std::int64_t>>(&v)) out += fmt::format("{}", (*n)[i]);
      if (const auto* s = std::get_if<std::vector<std::string>>(&v)) out += csv_text((*s)[i]);
    }
    out += "\r\n";
  }
  return out;
}

sim::Result to_result(const SweepTable& table) {
  sim::Result result;
  for (const auto& c : table.columns) {
    std::string name = c.name;
    std::replace(name.begin(), name.end(), '/', '_');
    std::visit([&](const auto& v) { result.arrays.push_back({"/table/" + name, {"case"}, {v.size()}, v, "", name}); }, c.values);
  }
  return result;
}

}  // namespace tidewatt::study
