#include "sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "tidewatt/base/error.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t piece_B = std::size_t{1} << 20U;
using Whole = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

/// One more cell. A column is of whole numbers as long as all cells are there and whole, of numbers with NaN as long as
/// none is text, else of text with nothing where there was a number.
void append(Column& column, const sim::Value& cell) {
  const bool text = std::holds_alternative<std::string>(cell), whole = std::holds_alternative<std::int64_t>(cell);
  if (const auto* w = std::get_if<Whole>(&column.values); w && !whole && !text)
    column.values = Numbers(w->begin(), w->end());
  if (text && !std::holds_alternative<Texts>(column.values))
    column.values = Texts(std::visit([](const auto& v) { return v.size(); }, column.values));
  if (auto* w = std::get_if<Whole>(&column.values)) w->push_back(std::get<std::int64_t>(cell));
  if (auto* t = std::get_if<Texts>(&column.values)) t->push_back(text ? std::get<std::string>(cell) : std::string());
  if (auto* n = std::get_if<Numbers>(&column.values)) {
    const auto* d = std::get_if<double>(&cell);
    n->push_back(d ? *d : whole ? static_cast<double>(std::get<std::int64_t>(cell)) : nothing);
  }
}

std::size_t length(const Column& column) {
  return std::visit([](const auto& v) { return v.size(); }, column.values);
}

void fill_up(Column& column, std::size_t n_row) {
  while (length(column) < n_row) append(column, {});
}

sim::Value cell_at(const Column& column, std::size_t i) {
  if (const auto* w = std::get_if<Whole>(&column.values)) return (*w)[i];
  if (const auto* t = std::get_if<Texts>(&column.values)) return (*t)[i];
  return std::get<Numbers>(column.values)[i];
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
  return text_of(toml);
}

std::string shortest(double x) {
  if (!std::isfinite(x)) return "";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end.ptr};
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
  throw InputError(fmt::format("'{}' is no figure of the sweep's table{}", name,
                               close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
}

void TableBuilder::set(const std::string& name, sim::Value value) {
  const auto [at, fresh] = place_.try_emplace(name, figures_.size());
  if (fresh) figures_.push_back({name, Whole{}});
  fill_up(figures_[at->second], n_row_);
  append(figures_[at->second], value);
}

void TableBuilder::add(const CaseRecord& record) {
  if (!add_equal_before(record.index)) return;
  // A list of pairs is taken apart: a column per pair. A list of whole numbers is text.
  for (const auto& [key, value] : record.figures) {
    if (const auto* pairs = std::get_if<std::vector<std::pair<std::string, double>>>(&value))
      for (const auto& [word, x] : *pairs) set(key + "." + word, x);
    else if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value))
      set(key, fmt::format("{}", fmt::join(*whole, " ")));
    else
      set(key, value);
  }
  status_.emplace_back(record.failed() ? "failed" : "ok");
  error_.push_back(record.failed() ? record.error_kind + ": " + record.error : std::string());
  ++n_row_;
}

/// Cases that equal an earlier one have no record of their own; others before `index` would be a gap.
bool TableBuilder::add_equal_before(std::size_t index) {
  for (; n_row_ < index; ++n_row_) {
    const std::size_t first = list_.same_as[n_row_];
    if (first == n_row_) return false;
    for (auto& column : figures_)
      if (first < length(column)) {
        fill_up(column, n_row_);
        append(column, cell_at(column, first));
      }
    status_.push_back(status_[first]);
    error_.push_back(error_[first]);
  }
  return true;
}

SweepTable TableBuilder::finish() {
  if (!add_equal_before(list_.size())) throw InputError(fmt::format("case {} is not finished", n_row_));
  SweepTable table;
  table.n_row = n_row_;
  for (std::size_t d = 0; d < list_.names.size(); ++d) {
    auto& column = table.columns.emplace_back(Column{list_.names[d], Whole{}});
    for (const auto& row : list_.values) append(column, cell_of(row[d]));
  }
  Whole number(n_row_);
  std::iota(number.begin(), number.end(), std::int64_t{0});
  table.columns.push_back({"case", std::move(number)});
  table.columns.push_back({"status", std::move(status_)});
  table.columns.push_back({"error", std::move(error_)});
  for (auto& column : figures_) {
    fill_up(column, n_row_);
    table.columns.push_back(std::move(column));
  }
  return table;
}

void write_csv(const SweepTable& table, const std::function<void(std::span<const char>)>& append) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) out += (c ? "," : "") + csv_cell(table.columns[c].name);
  out += "\r\n";
  for (std::size_t i = 0; i < table.n_row; ++i) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c) out += ',';
      const auto& v = table.columns[c].values;
      if (const auto* d = std::get_if<Numbers>(&v)) out += shortest((*d)[i]);
      if (const auto* n = std::get_if<Whole>(&v)) out += fmt::format("{}", (*n)[i]);
      if (const auto* s = std::get_if<Texts>(&v)) out += csv_cell((*s)[i]);
    }
    out += "\r\n";
    if (out.size() < piece_B) continue;
    append(out);
    out.clear();
  }
  append(out);
}

sim::Result to_result(SweepTable table) {
  sim::Result result;
  for (auto& c : table.columns) {
    std::string name = c.name;
    std::replace(name.begin(), name.end(), '/', '_');
    const std::size_t n = length(c);
    result.arrays.push_back({"/table/" + name, {"case"}, {n}, std::move(c.values), "", name});
  }
  return result;
}

}  // namespace TIDEWATT_NAMESPACE::study
