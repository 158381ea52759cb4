#include "figure_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "sim/figure_list.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

using sim::Figure;

std::string_view scope_word(sim::Scope scope) {
  return scope == sim::Scope::site ? "site" : scope == sim::Scope::job ? "job" : "both";
}

/// Parts of the chance of a headline that apply to it.
std::vector<std::string_view> parts_of(const sim::FigureTraits& t) {
  if (t.headline == 0) return {};
  std::vector<std::string_view> out = {"fleet"};
  if (t.of_instants) out.emplace_back("instant");
  out.insert(out.end(), {"inputs", "weather"});
  if (t.of_model) out.emplace_back("model");
  return out;
}

bool none(const char* text) { return *text == '\0'; }

/// Figures that one phrase explains.
using Row = std::vector<const Figure*>;

/// @param takes whether the table has a figure
template <class Takes>
std::vector<Row> rows(Takes takes) {
  std::vector<Row> out;
  for (const auto& topic : sim::figure_topics()) {
    Row* row = nullptr;
    for (const auto& figure : topic.figures) {
      if (!none(figure.meaning)) row = nullptr;
      if (!takes(figure)) continue;
      if (row == nullptr) row = &out.emplace_back();
      row->push_back(&figure);
    }
  }
  return out;
}

/// The words of a row's figures, each once.
template <class Word>
std::string listed(const Row& row, Word word) {
  std::vector<std::string> out;
  for (const Figure* figure : row)
    if (const std::string text = word(*figure); !text.empty() && std::ranges::find(out, text) == out.end())
      out.push_back(text);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string key_cell(const Figure& f) {
  const std::string_view mark = f.traits.headline > 0 ? "**" : "";
  return fmt::format("{}`{}`{}", mark, f.key, mark);
}

/// The phrase of a row, with the runs in which it has none.
std::string meaning_cell(const Row& row, const char* meaning) {
  std::string out;
  for (const char c : std::string_view(meaning)) out += c == '|' ? "\\|" : std::string(1, c);
  std::vector<std::string> null_when;
  for (const Figure* figure : row) {
    if (none(figure->null_when)) continue;
    const bool shared = std::ranges::all_of(
        row, [&](const Figure* other) { return std::string_view(other->null_when) == figure->null_when; });
    const std::string text = shared ? fmt::format("`null`: {}", figure->null_when)
                                    : fmt::format("`{}` is `null`: {}", figure->key, figure->null_when);
    if (std::ranges::find(null_when, text) == null_when.end()) null_when.push_back(text);
  }
  return null_when.empty() ? out : fmt::format("{}. {}", out, fmt::join(null_when, "; "));
}

std::string unit_cell(const Figure& f) { return f.unit == sim::share_unit ? "1" : f.unit; }

/// The phrase that explains a row: its first figure's, or that of the row's first figure in the list.
const char* meaning_of(const Row& row) {
  const char* last = "";
  for (const auto& topic : sim::figure_topics())
    for (const auto& figure : topic.figures) {
      if (!none(figure.meaning)) last = figure.meaning;
      if (&figure == row.front()) return last;
    }
  return last;
}

std::string markdown_rows(const std::vector<Row>& rows) {
  std::string out;
  for (const auto& row : rows)
    out += fmt::format("| {} | {} | {} |\n", listed(row, key_cell), listed(row, unit_cell),
                       meaning_cell(row, meaning_of(row)));
  return out;
}

}  // namespace

std::string figure_table_text() {
  std::string out;
  for (const auto& topic : sim::figure_topics()) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", topic.heading);
    for (const auto& f : topic.figures) {
      std::string line = fmt::format("  {:<32} {:<9} {}", f.key, f.unit, f.words);
      if (f.traits.scope != sim::Scope::site)
        line += f.traits.scope == sim::Scope::job ? "; of each job" : "; also of each job";
      if (f.traits.headline > 0) line += fmt::format("; headline {}", f.traits.headline);
      out += line + "\n";
    }
  }
  return out;
}

std::string figure_table_json() {
  using Json = nlohmann::ordered_json;
  Json out = Json::array();
  for (const auto& topic : sim::figure_topics()) {
    const char* meaning = "";
    for (const auto& f : topic.figures) {
      if (!none(f.meaning)) meaning = f.meaning;
      const auto& t = f.traits;
      out.push_back({{"key", f.key},
                     {"unit", f.unit},
                     {"words", f.words},
                     {"meaning", meaning},
                     {"null_when", f.null_when},
                     {"topic", topic.heading},
                     {"scope", scope_word(t.scope)},
                     {"headline", t.headline > 0 ? Json(t.headline) : Json()},
                     {"interval", parts_of(t)},
                     {"digits", t.digits},
                     {"in_tables", t.in_tables},
                     {"shown_unit", sim::shown_unit(f)},
                     {"scale", t.scale}});
    }
  }
  return out.dump();
}

std::string figure_table_markdown() {
  const auto of = [](sim::Scope scope) { return [scope](const Figure& f) { return f.traits.scope == scope; }; };
  Row shared;
  for (const auto& row : rows(of(sim::Scope::both))) shared.insert(shared.end(), row.begin(), row.end());
  return fmt::format(
      "| key in `jobs` | unit | meaning |\n|---|---|---|\n{}| {} | | as below, of this job |\n\n"
      "| key | unit | meaning |\n|---|---|---|\n{}",
      markdown_rows(rows(of(sim::Scope::job))),
      listed(shared, [](const Figure& f) { return fmt::format("`{}`", f.key); }),
      markdown_rows(rows([](const Figure& f) { return f.traits.scope != sim::Scope::job; })));
}

}  // namespace TIDEWATT_NAMESPACE::io
